// The contract of the engines: plumbing.

import { engineSuite } from './engine-suite.js';

engineSuite({ title: 'plumbing', engine: 'plumbing', init: [] });

// The contract of the engines: nodegit.

import { engineSuite } from './engine-suite.js';

engineSuite({ title: 'nodegit', engine: 'nodegit', init: [] });

// The contract of the engines: plumbing on SHA-256.

import { engineSuite } from './engine-suite.js';

engineSuite({ title: 'plumbing on SHA-256', engine: undefined, init: ['--object-format=sha256'] });

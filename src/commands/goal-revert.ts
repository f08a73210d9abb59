// `goal revert`: the integration of a Goal is taken back (G52).

export { revertGoal as run } from './revert.js';

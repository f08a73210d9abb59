// cosmiconfig's loaders, the functions of text alone, behind a static import: a dynamic one of a CommonJS package has no named
// exports once it is bundled. Loaded only when there is a file to read. No explorer is ever made (it would run code it finds).

import { defaultLoadersSync } from 'cosmiconfig';

export const yamlLoader = defaultLoadersSync['.yaml'];
export const jsonLoader = defaultLoadersSync['.json'];

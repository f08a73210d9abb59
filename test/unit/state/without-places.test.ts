// What a record says of this machine (01, Records).

import t from 'tap';
import { placesOf, sayWithout } from '../../../src/state/without-places.js';

const environment = { home: '/home/ann', dataDir: '/home/ann/.local/share/git-owl' };
const env = { commonDir: '/home/ann/code/parser/.git', environment } as Parameters<typeof placesOf>[0];

t.test('01: a reason names no folder of this machine and no user', async (t) => {
  const places = placesOf(env);
  t.equal(
    sayWithout(
      places,
      '/home/ann/.local/share/git-owl/parser-1/k3x9qp is locked; /home/ann/code/parser/.git/index.lock',
    ),
    '<data>/parser-1/k3x9qp is locked; <repository>/.git/index.lock',
  );
  t.equal(sayWithout(places, 'in /home/ann, and in "/home/ann/x"'), 'in ~, and in "~/x"');
  t.equal(sayWithout(places, '/home/anna/x and /home/ann-b stay'), '/home/anna/x and /home/ann-b stay');
  t.equal(sayWithout(placesOf({ ...env, commonDir: '/srv/git/x.git' }), '/srv/git/x.git/HEAD'), '<repository>/HEAD');
  t.same(
    placesOf({ commonDir: null, environment: { ...environment, home: '/root', dataDir: '/data' } } as typeof env),
    [],
    'folders at the top tell nobody anything',
  );
});

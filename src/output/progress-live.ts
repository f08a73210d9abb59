// The live line of a terminal: redrawn in place, cut to the width. Loaded only for a terminal: measuring text is costly to load.

import { escapeLine } from './escape.js';
import type { Progress } from './progress.js';
import type { Out } from './streams.js';
import { cut } from './width.js';

const TICK = 120;
const UNICODE_FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const ASCII_FRAMES = ['-', '\\', '|', '/'];

/**
 * Written by us: nanospinner ends the process by itself on SIGINT, which would leave a Run unsettled.
 * The line is redrawn in place and cut to the width, so that it never wraps; the cursor stays visible.
 */
export function createLive(out: Out): Progress {
  const frames = out.theme.glyphs.ellipsis === '…' ? UNICODE_FRAMES : ASCII_FRAMES;
  let text: string | null = null;
  let more = '';
  let began = 0;
  let frame = 0;
  let timer: NodeJS.Timeout | undefined;
  const wipe = (): void => out.write('\r\x1b[2K');
  const draw = (): void => {
    if (text === null) return;
    frame = (frame + 1) % frames.length;
    const spent = sayElapsed(performance.now() - began);
    const shown = cut(`${frames[frame]} ${text} ${spent}${more === '' ? '' : `  ${more}`}`, out.width - 1);
    out.write(`\r\x1b[2K${shown}`);
  };
  const done = (): void => {
    clearInterval(timer);
    timer = undefined;
    if (text !== null) wipe();
    text = null;
    more = '';
  };
  const above = (print: () => void): void => {
    if (text !== null) wipe();
    print();
    draw();
  };
  return {
    step: (next) => {
      text = escapeLine(next);
      more = '';
      began = performance.now();
      timer ??= setInterval(draw, TICK);
      timer.unref();
      draw();
    },
    detail: (next) => {
      more = escapeLine(next);
    },
    note: (note) => above(() => out.line(escapeLine(note))),
    done,
    above,
  };
}

const sayElapsed = (ms: number): string => {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  return `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;
};

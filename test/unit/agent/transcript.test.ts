// A log as a person reads it: what the agent said, which tools it used, what went wrong; whatever else stays as it is (J17).

import t from 'tap';
import { readable, tellAsItComes } from '../../../src/agent/transcript.js';

const told = (...lines: readonly string[]): readonly string[] =>
  readable(`${lines.join('\n')}\n`)
    .split('\n')
    .slice(0, -1);

t.test('J17: the events of each program, as they were recorded', (t) => {
  t.same(
    told(
      '{"type":"system","subtype":"init","cwd":"/w","session_id":"a57d2d13","tools":["Task"],"model":"m"}',
      '{"type":"assistant","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"I look.\\n\\nThen I write."},{"type":"tool_use","id":"t3","name":"Write","input":{"file_path":"/w/made.txt","content":"made\\n"}}]}}',
      '{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"Cannot write\\nin plan mode.","is_error":true}]}}',
      '{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"fine"}]}}',
      '{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"npm test &&\\n  git add .","description":"run"}}]}}',
      'a warning of its own',
      '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"You\'ve hit your limit"}',
    ),
    [
      'I look.',
      '',
      'Then I write.',
      '> Write /w/made.txt',
      '! Cannot write ⏎ in plan mode.',
      '> Bash npm test && ⏎ git add .',
      'a warning of its own',
      "! You've hit your limit",
    ],
    'claude',
  );
  t.same(
    told(
      '{"type":"thread.started","thread_id":"01a2"}',
      '{"type":"item.completed","item":{"type":"error","message":"Model metadata not found."}}',
      '{"type":"item.started","item":{"type":"command_execution","command":"git log"}}',
      '{"type":"item.completed","item":{"type":"command_execution","command":"git log","aggregated_output":"fatal: no","exit_code":128}}',
      '{"type":"item.completed","item":{"type":"file_change","changes":[{"path":"a.js","kind":"update"},{"path":"b.js","kind":"add"}]}}',
      '{"type":"item.completed","item":{"type":"agent_message","text":"# Plan\\n\\nAll done.\\n"}}',
      '{"type":"turn.completed","usage":{"input_tokens":40}}',
      '{"type":"item.completed","item":{"type":"of a later version"}}',
    ),
    [
      '! Model metadata not found.',
      '> command git log',
      '! exit 128: fatal: no',
      '> update a.js',
      '> add b.js',
      '# Plan',
      '',
      'All done.',
      '{"type":"item.completed","item":{"type":"of a later version"}}',
    ],
    'codex',
  );
  t.same(
    told(
      '{"type":"step_start","sessionID":"ses_d","part":{}}',
      '{"type":"tool_use","sessionID":"ses_d","part":{"tool":"write","state":{"status":"error","input":{"filePath":"/w/made.txt","content":"made\\n"},"error":"a rule prevents it"}}}',
      '{"type":"text","sessionID":"ses_d","part":{"type":"text","text":"All done."}}',
      '{"type":"error","sessionID":"ses_d","error":{"name":"APIError","data":{"message":"Slow down"}}}',
    ),
    ['> write /w/made.txt', '! a rule prevents it', 'All done.', '! Slow down'],
    'opencode',
  );
  t.same(
    told(
      '{"type":"init","session_id":"s","model":"m"}',
      '{"type":"message","role":"user","content":"the prompt"}',
      '{"type":"message","role":"assistant","content":"I lo","delta":true}',
      '{"type":"message","role":"assistant","content":"ok.\\nOn","delta":true}',
      '{"type":"message","role":"assistant","content":"ward.","delta":true}',
      '{"type":"tool_use","tool_name":"run_shell_command","tool_id":"r","parameters":{"command":"ls"}}',
      '{"type":"tool_result","tool_id":"r","status":"error","output":"not found"}',
      '{"type":"message","role":"assistant","content":"Done.","delta":true}',
      '{"type":"result","status":"success","stats":{}}',
    ),
    ['I look.', 'Onward.', '> run_shell_command ls', '! not found', 'Done.'],
    'gemini',
  );
  t.same(
    told(
      '{"type":"session.start","data":{}}',
      '{"type":"tool.execution_start","data":{"toolName":"bash","arguments":{"command":"ls"}}}',
      '{"type":"assistant.message","data":{"content":"Done."}}',
    ),
    ['> bash ls', 'Done.'],
    'copilot',
  );
  t.end();
});

t.test('J17: what is no event of theirs stays byte by byte', (t) => {
  for (const log of [
    '',
    'working\n',
    'no newline',
    '\n\n',
    '{"type":"message","text":"an agent of one\'s own"}\n{"level":30}\n',
    '{"type":"assistant", cut',
    '[1]\r\n{}\n  {"type":"system","subtype":"init"}\n',
  ])
    t.equal(readable(log), log, JSON.stringify(log));
  t.end();
});

t.test(
  'J17: as it comes, however it is cut, the same is told; text that is no event does not wait for its line',
  (t) => {
    const log = [
      'starting',
      '{"type":"init","session_id":"s"}',
      '{"type":"message","role":"assistant","content":"I look.","delta":true}',
      '{"type":"tool_use","tool_name":"ls","parameters":{"dir_path":"src"}}',
      'a warning',
      '{"type":"result","status":"success"}',
      '',
    ].join('\n');
    for (let size = 1; size < 40; size += 1) {
      let out = '';
      const telling = tellAsItComes((text) => {
        out += text;
      });
      for (let at = 0; at < log.length; at += size) telling.feed(log.slice(at, at + size));
      telling.end();
      t.equal(out, readable(log), `in pieces of ${size}`);
    }
    t.equal(readable(log), 'starting\nI look.\n> ls src\na warning\n');
    let out = '';
    const telling = tellAsItComes((text) => {
      out += text;
    });
    telling.feed('working ..');
    t.equal(out, 'working ..');
    telling.feed('.\n{"type":"in');
    t.equal(out, 'working ...\n');
    telling.end();
    t.equal(out, 'working ...\n{"type":"in\n');
    t.end();
  },
);

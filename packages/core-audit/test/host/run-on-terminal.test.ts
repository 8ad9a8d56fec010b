import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'

/** Starts a command of an operator in its own process. */
function start(call: string, output: number | 'pipe') {
  const script = `
    import { runMigrateCommand } from '@vertical-kit/core-audit/database'
    import { runAuditCommand } from '@vertical-kit/core-audit/audit'
    import { runDoctorCommand } from '@vertical-kit/core-audit/doctor'
    import { runOutboxCommand } from '@vertical-kit/core-audit/outbox'
    process.exitCode = await ${call}({ argv: ['--help'], environment: {}, packs: [], operator: 'olga' })`
  const options = ['--conditions=@vertical-kit/source', '--input-type=module', '--eval', script]
  return spawn(process.execPath, options, {
    cwd: import.meta.dirname,
    stdio: ['ignore', output, 'pipe'],
  })
}

test.each(['runMigrateCommand', 'runAuditCommand', 'runDoctorCommand', 'runOutboxCommand'])(
  '%s fails if its output is lost on a full disk',
  async (call) => {
    const child = start(call, openSync('/dev/full', 'w'))
    const [[status], errors] = await Promise.all([
      once(child, 'close'),
      text(child.stderr ?? Readable.from([])),
    ])
    expect({ status, errors }).toEqual({
      status: 1,
      errors: 'Standard output cannot be written (ENOSPC).\n',
    })
  },
)

test('a command succeeds if its reader does not want all of its output', async () => {
  const child = start('runOutboxCommand', 'pipe')
  child.stdout?.destroy()
  const [[status], errors] = await Promise.all([
    once(child, 'close'),
    text(child.stderr ?? Readable.from([])),
  ])
  expect({ status, errors }).toEqual({ status: 0, errors: '' })
})

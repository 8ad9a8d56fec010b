import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openDemo } from './demo-process.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Returns the shell blocks of the tour as one script, because later blocks use variables of earlier blocks. */
async function readTour(): Promise<string> {
  const page = await readFile(new URL('docs/guides/tour.md', `file://${root}`), 'utf8')
  return [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block).join('\n')
}

test('every step of the tour prints the result that the tour describes', async () => {
  const demo = await openDemo()
  onTestFinished(() => demo.close())
  const shell = spawn('bash', ['-c', await readTour()], {
    cwd: root,
    env: { PATH: process.env['PATH'], url: demo.url, issuer: demo.issuer },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void shell.kill('SIGKILL'))
  const [stdout, stderr] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, 'close')])

  const steps = [
    '"status":"ready"',
    'the same bytes',
    '"version":2',
    'notes.version_conflict',
    '"isDeleted":true',
    'attachments.mark_for_deletion',
    'still the same bytes',
    'trade.create_invoice: The order is not posted.',
    'idempotent-replayed: true',
    'documents.version_conflict',
    'document_action.reason_required',
    'document_action.unavailable',
    '"openTaskCount"',
    'InProgress',
    'work_center.task_claim_conflict',
    'is settled',
    'Completed',
    'trade.write_off_recorded: mandatory',
    'work_center.preference_mandatory',
  ]
  let from = 0
  for (const step of steps) {
    const at = stdout.indexOf(step, from)
    expect(at, `${step} is missing in:\n${stdout.slice(from)}\n${stderr}`).toBeGreaterThanOrEqual(from)
    from = at
  }
})

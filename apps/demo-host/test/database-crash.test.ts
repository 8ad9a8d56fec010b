import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { editorState } from './actions.ts'
import { openDemo } from './demo-process.ts'
import { postedInvoice } from './trade/actions/documents.ts'

test('a demo whose PostgreSQL is killed becomes ready again, and documents are kept', async () => {
  const demo = await openDemo()
  onTestFinished(() => demo.close())
  const clerk = await demo.as('clerk')
  const invoice = await postedInvoice(clerk)
  const before = await editorState(clerk, invoice)

  const pidFile = await readFile(join(demo.dataPath, 'postgres', 'data', 'postmaster.pid'), 'utf8')
  process.kill(Number.parseInt(pidFile, 10), 'SIGKILL')
  await expect
    .poll(() => demo.stderr(), { timeout: 120_000 })
    .toBe('PostgreSQL ended unexpectedly and was started again.\n')
  const readiness = async () => (await fetch(`${demo.url}/health/ready`)).status
  await expect.poll(readiness, { timeout: 60_000 }).toBe(200)
  expect(await editorState(clerk, invoice)).toEqual(before)
  await postedInvoice(clerk)
})

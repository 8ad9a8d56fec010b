import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { digestLines, eventFileFormat } from '../../../src/audit/export/event-file.ts'

async function linesOf(text: string): Promise<AsyncIterable<string>> {
  const directory = await mkdtemp(join(tmpdir(), 'audit-export-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const path = join(directory, 'file.ndjson')
  await writeFile(path, text)
  return (await eventFileFormat('ndjson')).lines(path)
}

test.each(['', '\n', 'a', 'a\n', '\na\n\nb', `${'ü'.repeat(70_000)}\n${'😀'.repeat(70_000)}\n`])(
  'lines end only with a line feed (case %#)',
  async (text) => {
    const lines = text.split('\n')
    if (lines.at(-1) === '') lines.pop()
    const found: string[] = []
    for await (const line of await linesOf(text)) found.push(line)
    expect(found).toEqual(lines)
  },
)

test('each character of a long line is searched for its end once', async () => {
  const lines = await linesOf('x'.repeat(1_000_000))
  const split = vi.spyOn(String.prototype, 'split')
  onTestFinished(() => split.mockRestore())
  const { eventCount } = await digestLines(lines)
  const searched = split.mock.contexts.map((text) => String(text)).filter((text) => /^x+$/.test(text))
  expect(eventCount).toBe(1)
  expect(searched.length).toBeGreaterThan(1)
  expect(searched.reduce((sum, { length }) => sum + length, 0)).toBe(1_000_000)
})

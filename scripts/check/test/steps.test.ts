import { expect, test } from 'vitest'
import { commandStep, runSteps, type Step } from '../steps.ts'

const root = process.cwd()

async function run(...lanes: readonly (readonly Step[])[]) {
  const lines: string[] = []
  const failed = await runSteps(lanes, (line) => lines.push(line))
  return { failed, printed: lines.join('\n') }
}

const command = (name: string, script: string) =>
  commandStep({ name, title: `the step ${name}`, command: `node -e "${script}"`, root })

test('runSteps runs every step and returns the names of the failed steps', async () => {
  const { failed, printed } = await run([
    command('first', 'process.exit(3)'),
    command('second', 'process.exit(0)'),
    { name: 'third', title: 'the step third', run: async () => 'a finding' },
  ])
  expect(failed).toEqual(['first', 'third'])
  expect(printed).toMatch(/^FAIL {2}first +\d+\.\d s {2}the step first$/m)
  expect(printed).toMatch(/^ok {4}second +\d+\.\d s {2}the step second$/m)
  expect(printed).toContain('a finding')
  expect(printed).toContain('1 of 3 steps passed')
})

test('the output of a command is printed only if the command fails', async () => {
  const { printed } = await run([
    command('quiet', "console.log('said and', 'done')"),
    command('loud', "console.log('on stdout'); console.error('on stderr'); process.exit(1)"),
  ])
  expect(printed).not.toContain('said and done')
  expect(printed).toContain('on stdout')
  expect(printed).toContain('on stderr')
  expect(printed).toContain('ended with exit code 1')
})

test('an unknown command fails its step', async () => {
  const { failed } = await run([
    commandStep({ name: 'missing', title: 'a mistyped command', command: 'no-such-command-here', root }),
  ])
  expect(failed).toEqual(['missing'])
})

test('a step that throws fails, and the next step runs', async () => {
  const { failed, printed } = await run([
    { name: 'broken', title: 'throws', run: async () => Promise.reject(new Error('no such folder')) },
    { name: 'next', title: 'passes', run: async () => '' },
  ])
  expect(failed).toEqual(['broken'])
  expect(printed).toContain('no such folder')
  expect(printed).toMatch(/^ok {4}next/m)
})

test('the lanes run in parallel', async () => {
  const [left, right] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const meeting = (name: string, mine: typeof left, theirs: typeof left): Step => ({
    name,
    title: `the step ${name}`,
    run() {
      mine.resolve('')
      return theirs.promise
    },
  })
  const { failed, printed } = await run(
    [meeting('left', left, right), command('after', 'process.exit(1)')],
    [meeting('right', right, left)],
  )
  expect(failed).toEqual(['after'])
  expect(printed).toContain('2 of 3 steps passed')
})

test('runSteps prints the lines of a successful step below the step', async () => {
  const { failed, printed } = await run([
    {
      name: 'weight',
      title: 'the step weight',
      async run(say) {
        say('12 of 40')
        return ''
      },
    },
  ])
  expect(failed).toEqual([])
  expect(printed).toMatch(/the step weight\n +12 of 40\n/)
})

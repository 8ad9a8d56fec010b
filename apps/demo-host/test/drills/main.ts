import { parseArgs } from 'node:util'
import type { Counts } from './drill.ts'
import { drills } from './drills.ts'
import { drillRetention } from './retention.ts'
import { runDrill } from './run-drill.ts'
import { drillTenants } from './tenants.ts'

const usage = `Usage: pnpm drill NAME [--rounds N]
       pnpm drill tenants [--tenants N]
       pnpm drill retention [--minutes N]

Starts hosts, a database, an object store and clients on free ports of 127.0.0.1, injects a fault while the clients write,
and checks that no write was lost, that nothing happened twice, and that all counts and books agree.

${drills.map(({ name, title, rounds }) => `  ${name.padEnd(18)} ${title} (${rounds} rounds)`).join('\n')}
  all                all of the above

  tenants            serve 500 tenants in one process, and measure what idle ones cost
  retention          append 1,000 events per second for an hour, and check that no table grows

Exit status: 0 when every invariant holds, 1 when one does not, 2 for a wrong command line.`

const command = readCommand()
if (command === 'help') console.log(usage)
else if (command === undefined) {
  console.error(usage)
  process.exitCode = 2
} else {
  for (const { title, run } of command) {
    console.log(title)
    try {
      const counts = await run((line) => console.log(`  ${line}`))
      for (const [what, count] of Object.entries(counts))
        console.log(`  ${String(count).padStart(8)}  ${what}`)
      console.log('  every invariant holds\n')
    } catch (error) {
      console.error(error)
      process.exitCode = 1
    }
  }
}

/** One drill of the command line. */
interface Run {
  readonly title: string
  run(report: (line: string) => void): Promise<Counts>
}

/** Returns the drills to run, or `undefined` for a wrong command line. */
function readCommand(): readonly Run[] | 'help' | undefined {
  try {
    const text = { type: 'string' } as const
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { help: { type: 'boolean' }, rounds: text, tenants: text, minutes: text },
    })
    if (values.help === true) return 'help'
    const [name = '', ...others] = positionals
    const [rounds, tenants, minutes] = [values.rounds, values.tenants, values.minutes].map(countOf)
    const runs = runsOf(name, { rounds, tenants, minutes })
    return runs.length > 0 && others.length === 0 ? runs : undefined
  } catch {
    return undefined
  }
}

/** @throws {TypeError} for a text that is not a whole number from 1 */
function countOf(text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9]\d*$/.test(text)) return text === undefined ? undefined : Number(text)
  throw new TypeError('expected a whole number')
}

interface RunCounts {
  readonly rounds: number | undefined
  readonly tenants: number | undefined
  readonly minutes: number | undefined
}

function runsOf(name: string, { rounds, tenants = 500, minutes = 60 }: RunCounts): readonly Run[] {
  if (name === 'tenants') {
    const title = `tenants: ${tenants} tenants in one process`
    return [{ title, run: (report) => drillTenants(tenants, report) }]
  }
  if (name === 'retention') {
    const title = `retention: 1,000 events per second for ${minutes} minutes`
    return [{ title, run: (report) => drillRetention(minutes, report) }]
  }
  return drills
    .filter((drill) => name === 'all' || drill.name === name)
    .map((drill) => ({
      title: `${drill.name}: ${drill.title}`,
      run: (report) => runDrill(drill, rounds ?? drill.rounds, report),
    }))
}

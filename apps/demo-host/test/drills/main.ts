import { parseArgs } from 'node:util'
import { drills } from './drills.ts'
import { runDrill } from './run-drill.ts'

const usage = `Usage: pnpm drill NAME [--rounds N]

Starts hosts, a database, an object store and clients on free ports of 127.0.0.1, injects a fault while the clients write,
and checks that no write was lost, that nothing happened twice, and that all counts and books agree.

${drills.map(({ name, title, rounds }) => `  ${name.padEnd(18)} ${title} (${rounds} rounds)`).join('\n')}
  all                all of them

Exit status: 0 when every invariant holds, 1 when one does not, 2 for a wrong command line.`

const command = readCommand()
if (command === 'help') console.log(usage)
else if (command === undefined) {
  console.error(usage)
  process.exitCode = 2
} else {
  for (const drill of command.chosen) {
    console.log(`${drill.name}: ${drill.title}`)
    try {
      const counts = await runDrill(drill, command.rounds ?? drill.rounds, (line) => console.log(`  ${line}`))
      for (const [what, count] of Object.entries(counts))
        console.log(`  ${String(count).padStart(8)}  ${what}`)
      console.log('  every invariant holds\n')
    } catch (error) {
      console.error(error)
      process.exitCode = 1
    }
  }
}

/** Returns the drills to run, or `undefined` for a wrong command line. */
function readCommand() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { help: { type: 'boolean' }, rounds: { type: 'string' } },
    })
    if (values.help === true) return 'help'
    const [name, ...others] = positionals
    const chosen = name === 'all' ? drills : drills.filter((drill) => drill.name === name)
    const rounds = values.rounds === undefined ? undefined : Number(values.rounds)
    const areRoundsValid = rounds === undefined || (Number.isInteger(rounds) && rounds > 0)
    return chosen.length > 0 && others.length === 0 && areRoundsValid ? { chosen, rounds } : undefined
  } catch {
    return undefined
  }
}

/**
 * `pnpm bench` compares the demo host with a bare server on the same data, in alternating rounds. It also compares hosts
 * with different amounts of data. It prints tables and exits with code 0 for any result, because a person must judge them.
 *
 *     pnpm bench --only execute --only "editor state" --rounds 9
 *     pnpm bench --executions 0 --entries 0        # skips the cases with 10,000,000 executions or entries
 */
import { parseArgs } from 'node:util'
import { compareAfterMany } from './after-many.ts'
import { compareBesideBare } from './beside-bare.ts'
import type { Plan } from './compare.ts'
import { toFigure } from './figure.ts'
import { measureDeliveries } from './work-center/deliveries.ts'
import { compareFeeds } from './work-center/feeds.ts'
import { measureIdleSockets } from './work-center/idle-sockets.ts'
import { compareLargeInboxes } from './work-center/large-inboxes.ts'
import { measureReach } from './work-center/reach.ts'

const { values: options } = parseArgs({
  // `pnpm run bench -- --only execute` also passes `--` to this script.
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    documents: { type: 'string', default: '20000' },
    executions: { type: 'string', default: '10000000' },
    entries: { type: 'string', default: '10000000' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '32' },
    only: { type: 'string', multiple: true, default: [] },
  },
})
const plan: Plan = {
  documents: Number(options.documents),
  rounds: Number(options.rounds),
  load: { connections: Number(options.connections), seconds: Number(options.seconds) },
  isChosen: (name) => options.only.length === 0 || options.only.includes(name),
}

const { findings, idleMegabytes } = await compareBesideBare(plan)
findings.push(...(await compareAfterMany(plan, Number(options.executions))))
findings.push(...(await compareFeeds(plan)))
findings.push(...(await compareLargeInboxes(plan, Number(options.entries))))

const figures = [
  toFigure('resident memory of the idle host', { value: idleMegabytes, unit: 'MB', bound: { most: 150 } }),
  ...(await measureReach(plan)),
  ...(await measureIdleSockets(plan)),
  ...(await measureDeliveries(plan)),
]

console.log(
  `\n${plan.rounds} rounds of ${plan.load.seconds} s each, A B A B, ${plan.load.connections} connections ` +
    '(one connection to compare times); medians\n',
)
if (findings.length > 0) console.table(findings)
console.table(figures)

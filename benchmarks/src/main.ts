/**
 * `pnpm bench` compares the host of a deployment with a bare server on the same data, in alternating rounds, and measures it
 * against its targets. It prints a table and exits with code 0 for any result, because a person must judge it.
 * `pnpm bench --help` lists the options.
 */
import { writeFileSync } from 'node:fs'
import { compareBesideBare } from './beside-bare.ts'
import type { Finding } from './finding.ts'
import { toRow } from './finding.ts'
import { measureFootprint } from './footprint.ts'
import { help, readOptions } from './options.ts'
import { measureNoOpEvents } from './outbox/no-op-events.ts'
import { measureDeliveries } from './work-center/deliveries.ts'
import { compareFeeds } from './work-center/feeds.ts'
import { measureIdleSockets } from './work-center/idle-sockets.ts'
import { measureReach } from './work-center/reach.ts'

const options = readOptions(process.argv.slice(2))
if (options.help) console.log(help)
else await run()

async function run(): Promise<void> {
  const { plan } = options
  const findings: Finding[] = []
  for (const measure of [
    compareBesideBare,
    compareFeeds,
    measureNoOpEvents,
    measureDeliveries,
    measureFootprint,
    measureReach,
    measureIdleSockets,
  ]) {
    findings.push(...(await measure(plan)))
  }
  console.table(findings.map(toRow))
  if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(findings, null, 2))
}

/**
 * `pnpm bench` compares the host of a deployment with a bare server on the same data, in alternating rounds, and measures it
 * against its targets. It prints a table and exits with code 0 for any result, because a person must judge it. It exits with
 * code 1 if a part could not be measured.
 * `pnpm bench --help` lists the options.
 */
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { compareBesideBare } from './beside-bare.ts'
import { type Finding, toRow } from './finding.ts'
import { measureFootprint } from './footprint.ts'
import { measureGrowth } from './growth/measure-growth.ts'
import { help, readOptions } from './options.ts'
import { measureNoOpEvents } from './outbox/no-op-events.ts'
import { comparePeers } from './peers/compare-peers.ts'
import { profileCases } from './profile/profile-cases.ts'
import { describeMachine } from './report/machine.ts'
import { publish, renderPage, type SectionName } from './report/page.ts'
import type { Conditions } from './report/results.ts'
import { measureDeliveries } from './work-center/deliveries.ts'
import { compareFeeds } from './work-center/feeds.ts'
import { measureIdleSockets } from './work-center/idle-sockets.ts'
import { measureReach } from './work-center/reach.ts'
import { measureTeamWork } from './work-center/team-work.ts'

const parts = [
  ...[compareBesideBare, compareFeeds, measureNoOpEvents, measureDeliveries, measureFootprint],
  ...[measureTeamWork, measureReach, measureIdleSockets],
]

const argv = process.argv.slice(2)
const options = readOptions(argv)
const { plan } = options
if (options.help) console.log(help)
else if (options.render) renderPage()
else if (options.growth.length > 0) await measureAndStore('growth', growth)
else if (options.profile.length > 0) await measureAndStore('profile', profile)
else await measureAndStore('table', table)

async function measureAndStore(name: SectionName, measure: () => Promise<object>): Promise<void> {
  const machine = await describeMachine()
  const command = ['pnpm bench', ...argv.filter((argument) => argument !== '--').map(quoted)].join(' ')
  const results: Conditions = { machine, command, ...(await measure()) }
  if (options.json !== undefined)
    writeFileSync(fromCaller(options.json), `${JSON.stringify(results, null, 2)}\n`)
  if (options.docs) publish(name, results)
}

/** Resolves a path from the folder in which the user called pnpm, which runs this script in another one. */
function fromCaller(path: string): string {
  return resolve(process.env['INIT_CWD'] ?? '', path)
}

function quoted(argument: string): string {
  return argument.includes(' ') ? `"${argument}"` : argument
}

async function table(): Promise<{ readonly findings: readonly Finding[] }> {
  const findings: Finding[] = []
  for (const measure of [...parts, ...(options.peers ? [comparePeers] : [])]) {
    try {
      findings.push(...(await measure(plan)))
    } catch (error) {
      // A run takes half an hour: keep the results of the other parts.
      console.error(`${measure.name} failed:`, error)
      process.exitCode = 1
    }
  }
  const { rounds, load } = plan
  console.log(
    `\n${rounds} rounds of ${load.seconds} s each, A B A B, ${load.connections} connections; ` +
      'medians with their quartiles\n',
  )
  console.table(findings.map(toRow))
  return { findings }
}

async function growth(): Promise<object> {
  return { operations: await measureGrowth(plan, options.growth) }
}

async function profile(): Promise<object> {
  return { profiles: await profileCases(options.profile, plan) }
}

import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  ConfigurationError,
  configurationExitCode,
  type Environment,
  readConfiguration,
} from '@vertical-kit/core-audit/host'
import { type DemoAddresses, isSet } from './demo-environment.ts'
import { readDataDirectory } from './demo-settings.ts'

/** The addresses of the embedded services of a running demo. The address of the database contains its password. */
export interface RunningAddresses extends Partial<DemoAddresses> {
  /** The port of the host. */
  readonly port: number
  /** The process of the demo. */
  readonly pid?: number
}

const fileIn = (dataDirectory: string): string => join(dataDirectory, 'running.json')

/**
 * Stores the addresses of a running demo for the commands of operators, such as `pnpm run doctor`. Only the user can read the file. Stores nothing if all
 * services are external.
 */
export async function storeAddresses(dataDirectory: string, addresses: RunningAddresses): Promise<void> {
  // The commands that read the file send no mail.
  const { port, mail: _mail, ...embedded } = addresses
  if (Object.keys(embedded).length === 0) return
  const stored = { ...embedded, port, pid: process.pid }
  // A command must never read half of the file. A new file has its mode from the start.
  const incomplete = `${fileIn(dataDirectory)}.${process.pid}`
  await rm(incomplete, { force: true })
  await writeFile(incomplete, JSON.stringify(stored), { mode: 0o600 })
  await rename(incomplete, fileIn(dataDirectory))
}

/** Removes the stored addresses when the demo stops. Keeps those of another demo: this one can be its replica. */
export async function forgetAddresses(dataDirectory: string): Promise<void> {
  const stored = await findAddresses(dataDirectory)
  if (stored?.pid === process.pid) await rm(fileIn(dataDirectory), { force: true })
}

/** Returns the addresses of the running demo, or `undefined` if none has stored them or a crash has damaged the file. */
export async function findAddresses(dataDirectory: string): Promise<RunningAddresses | undefined> {
  try {
    return JSON.parse(await readFile(fileIn(dataDirectory), 'utf8')) as RunningAddresses
  } catch {
    return undefined
  }
}

/**
 * Adds the database of the running demo, unless the environment names one. Ends the process if the key of the data directory is
 * invalid. Mistakes in other settings are left to the command.
 */
export async function withRunningDemo(environment: Environment): Promise<Environment> {
  if (['DATABASE_URL', 'DATABASE_DIRECT_URL'].some((key) => isSet(environment, key))) return environment
  const running = await findAddresses(dataDirectoryOf(environment))
  return running?.databaseUrl === undefined
    ? environment
    : { ...environment, DATABASE_URL: running.databaseUrl }
}

function dataDirectoryOf(environment: Environment): string {
  try {
    return readConfiguration(environment, readDataDirectory)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    for (const problem of error.problems) console.error(problem)
    process.exit(configurationExitCode)
  }
}

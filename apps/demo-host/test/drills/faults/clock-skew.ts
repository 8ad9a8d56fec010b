import { fileURLToPath } from 'node:url'
import type { Drill } from '../drill.ts'

const minuteMs = 60_000

const shifted = (shiftMs: number) => ({
  NODE_OPTIONS: `--import=${fileURLToPath(new URL('../../shifted-clock.ts', import.meta.url))}`,
  CLOCK_SHIFT_MS: String(shiftMs),
  CLOCK_STEP_MS: String(shiftMs),
})

/** The database's clock decides about tokens, signatures and the order of lists, so a wrong clock must change nothing. */
export const clockSkew: Drill = {
  name: 'clock-skew',
  title:
    'runs one host 10 minutes ahead and one 10 minutes behind, and steps both clocks by another 10 minutes',
  rounds: 5,
  losesConnections: false,
  world: { environments: [shifted(10 * minuteMs), shifted(-10 * minuteMs)] },
  async fault({ hosts, clients }) {
    await clients.eachCompletesAWrite()
    for (const host of hosts) host.process.kill('SIGUSR2')
    return { 'steps of a clock': hosts.length }
  },
}

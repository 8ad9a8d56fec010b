import { setInterval } from 'node:timers/promises'
import type { Drill } from '../drill.ts'

/** Stops the server without a shutdown, so that it must recover from its log. Commits in flight have an unknown outcome. */
export const databaseKill: Drill = {
  name: 'database-kill',
  title: 'stops PostgreSQL without a shutdown and starts it again',
  rounds: 20,
  losesConnections: false,
  async fault({ postgres }) {
    await postgres.restart({ mode: 'immediate' })
    return { 'database crashes': 1 }
  },
}

const cutIntervalMs = 20
const cutCount = 250

/** Cuts all connections to the database continuously, at every point of the protocol. */
export const connectionKills: Drill = {
  name: 'connection-kills',
  title: `resets or closes all connections to the database every ${cutIntervalMs} ms, for ${(cutIntervalMs * cutCount) / 1_000} s`,
  rounds: 6,
  losesConnections: false,
  async fault({ proxy }) {
    let cuts = 0
    for await (const _ of setInterval(cutIntervalMs)) {
      proxy.cut(cuts % 2 === 0 ? 'reset' : 'close')
      cuts += 1
      if (cuts === cutCount) break
    }
    return { 'cuts of all connections': cuts }
  },
}

/** Lets all open connections become silent, as a firewall that drops flows does. New connections work. */
export const silentDatabase: Drill = {
  name: 'silence',
  title: 'lets all connections to the database become silent without closing them',
  rounds: 5,
  losesConnections: false,
  async fault({ proxy }) {
    proxy.silence()
    return { 'silent moments': 1 }
  },
}

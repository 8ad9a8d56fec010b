import type { Drill } from '../drill.ts'

let next = 0

/** Kills hosts without warning, so that connections are lost. */
export const hostKill: Drill = {
  name: 'host-kill',
  title: 'kills a host with SIGKILL and starts another one',
  rounds: 20,
  losesConnections: true,
  async fault(world) {
    next += 1
    await world.replaceHost(next % world.hosts.length, 'SIGKILL')
    return { 'hosts killed': 1 }
  },
}

/** Replaces each host as an upgrade does. Load balancers notice that a host is not ready before it stops. */
export const rollingRestart: Drill = {
  name: 'rolling-restart',
  title: 'replaces every host with SIGTERM, one after another; no connection may be lost',
  rounds: 10,
  losesConnections: false,
  async fault(world) {
    for (const index of world.hosts.keys()) await world.replaceHost(index, 'SIGTERM')
    return { 'hosts replaced': world.hosts.length }
  },
}

import type { Database } from '@vertical-kit/core-audit'
import { blockedCount } from './contention.ts'

/** Says whose turn it is, so that a run can be played again: one goes on, all others stand or wait for a lock. */
export interface Conductor {
  /** Resolves when it is the player's turn. */
  turn(player: number): Promise<void>
  /** Starts the players together and resolves when all have come to their end. */
  play(players: readonly (() => Promise<void>)[]): Promise<void>
}

/** `choices` say who goes on, of those who stand, each time all is quiet; they are used over and over. */
export function createConductor(database: Database, choices: readonly number[]): Conductor {
  const standing = new Map<number, () => void>()
  let movingCount = 0

  /** Nobody moves but those who wait for a lock, as the server says. */
  const untilQuiet = async (): Promise<void> => {
    while (movingCount > 0) {
      const blocked = await blockedCount(database)
      if (blocked >= movingCount) return
    }
  }

  const letGo = (choice: number): void => {
    const players = [...standing.keys()].toSorted((one, other) => one - other)
    const player = players[choice % players.length] as number
    const go = standing.get(player)
    standing.delete(player)
    movingCount += 1
    go?.()
  }

  return {
    turn(player) {
      movingCount -= 1
      return new Promise((resolve) => standing.set(player, resolve))
    },
    async play(players) {
      movingCount = players.length
      const end = Promise.all(
        players.map((play) =>
          play().finally(() => {
            movingCount -= 1
          }),
        ),
      )
      // What goes wrong is told at the end; until then the others are let go on.
      end.catch(() => {})
      for (let step = 0; movingCount > 0 || standing.size > 0; ) {
        await untilQuiet()
        if (standing.size === 0) continue
        letGo(choices[step % choices.length] ?? 0)
        step += 1
      }
      await end
    },
  }
}

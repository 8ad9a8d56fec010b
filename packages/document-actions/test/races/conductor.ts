import type { Database } from '@vertical-kit/core-audit/database'
import { blockedCount } from '@vertical-kit/core-audit/testing'

/** Makes runs reproducible: one player continues at a time, and all other players are stopped or wait for a lock. */
export interface Conductor {
  /** Resolves when the player may continue. */
  turn(player: number): Promise<void>
  /** Starts all players together and resolves when all have finished. */
  play(players: readonly (() => Promise<void>)[]): Promise<void>
}

/** Selects one stopped player, which then has `turnCount` consecutive turns. */
export interface Choice {
  readonly pick: number
  readonly turnCount: number
}

/** Creates a conductor. Whenever no player moves, the conductor uses the next choice, in an endless loop. */
export function createConductor(database: Database, choices: readonly Choice[]): Conductor {
  const standing = new Map<number, () => void>()
  let movingCount = 0
  let choiceCount = 0
  let chosen = { player: -1, turnCount: 0 }

  /** Waits until all moving players wait for a lock in PostgreSQL. */
  const untilQuiet = async (): Promise<void> => {
    while (movingCount > 0) {
      const blocked = await blockedCount(database)
      if (blocked >= movingCount) return
    }
  }

  const choose = (): number => {
    if (chosen.turnCount > 0 && standing.has(chosen.player)) {
      chosen.turnCount -= 1
      return chosen.player
    }
    const { pick, turnCount } = choices[choiceCount % choices.length] as Choice
    choiceCount += 1
    const players = [...standing.keys()].toSorted((one, other) => one - other)
    chosen = { player: players[pick % players.length] as number, turnCount: turnCount - 1 }
    return chosen.player
  }

  const letGo = (): void => {
    const player = choose()
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
      // Report errors only at the end. Until then, the other players continue.
      end.catch(() => {})
      while (movingCount > 0 || standing.size > 0) {
        await untilQuiet()
        if (standing.size > 0) letGo()
      }
      await end
    },
  }
}

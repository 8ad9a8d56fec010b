import type { Database } from '@vertical-kit/core-audit/database'
import { blockedCount } from '@vertical-kit/core-audit/testing'

/** Says whose turn it is, so that a run can be played again: one goes on, all others stand or wait for a lock. */
export interface Conductor {
  /** Resolves when it is the player's turn. */
  turn(player: number): Promise<void>
  /** Starts the players together and resolves when all have come to their end. */
  play(players: readonly (() => Promise<void>)[]): Promise<void>
}

/** Picks one of those who stand, for as many turns as they stand again afterwards. */
export interface Choice {
  readonly pick: number
  readonly turnCount: number
}

/** `choices` are made one after another, each time all is quiet, and over and over. */
export function createConductor(database: Database, choices: readonly Choice[]): Conductor {
  const standing = new Map<number, () => void>()
  let movingCount = 0
  let choiceCount = 0
  let chosen = { player: -1, turnCount: 0 }

  /** Nobody moves but those who wait for a lock, as the server says. */
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
      // What goes wrong is told at the end; until then the others are let go on.
      end.catch(() => {})
      while (movingCount > 0 || standing.size > 0) {
        await untilQuiet()
        if (standing.size > 0) letGo()
      }
      await end
    },
  }
}

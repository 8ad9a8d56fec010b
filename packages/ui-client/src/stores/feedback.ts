import { type Countdown, startCountdown } from './countdown.ts'
import { perSession } from './per-session.ts'
import { openStore, type Store } from './store.ts'

/** A message about the user's work, as it is shown. */
export interface FeedbackMessage {
  readonly id: number
  readonly text: string
  readonly tone: 'success' | 'failure'
  readonly isUndoable: boolean
}

/** The input of {@link FeedbackStore.announce}. */
export interface Announcement {
  /** One sentence for the user, for example `Note deleted.`. */
  readonly text: string
  /** Failures stay until the user closes them. Default: `success`. */
  readonly tone?: FeedbackMessage['tone']
  /** Reverts the change. Called at most once, and not after the message has disappeared. */
  readonly undo?: () => void
  /** How long the message is shown. Default: 6 seconds, or 10 if the change can be undone. */
  readonly countdown?: Countdown
}

/** The messages about the user's work in this session. All elements add to it, and `<vk-toasts>` shows it. */
export interface FeedbackStore extends Pick<Store<readonly FeedbackMessage[]>, '$state'> {
  /** Shows a message. It replaces earlier ones, except failures and the latest three that can be undone. */
  announce(announcement: Announcement): void
  /** Undoes the change of a message, or without an id the newest change that can be undone. Returns false if none can. */
  undo(id?: number): boolean
  /** Removes a message before its time. */
  dismiss(id: number): void
  /** Keeps the messages while the user reads them. */
  hold(): void
  /** Ends `hold`. All countdowns start again. */
  resume(): void
}

/** More messages would cover the page, for example after many changes with the keyboard. */
const maxUndoable = 3
const shownMs = { plain: 6_000, undoable: 10_000 } as const

interface Entry {
  readonly undo: (() => void) | undefined
  readonly countdown: Countdown | null
  /** Whether the change waits for the countdown. Its message must not disappear before its time. */
  readonly isWaiting: boolean
}

/** Returns the session's store of messages. */
export const feedbackStore = perSession((session): FeedbackStore => {
  const { $state, signal, update } = openStore<readonly FeedbackMessage[]>(session, [])
  const entries = new Map<number, Entry>()
  let lastId = 0
  let isHeld = false

  const countdownOf = ({ tone, undo, countdown }: Announcement): Countdown | null => {
    if (countdown !== undefined) return countdown
    const ms = undo === undefined ? shownMs.plain : shownMs.undoable
    return tone === 'failure' ? null : startCountdown(session.wait, ms, signal)
  }
  const remove = (id: number): Entry | undefined => {
    const entry = entries.get(id)
    entries.delete(id)
    update((messages) => messages.filter((message) => message.id !== id))
    return entry
  }
  const dismiss = (id: number) => remove(id)?.countdown?.end()

  return {
    $state,
    announce(announcement) {
      if (signal.aborted) return
      const { text, tone = 'success', undo } = announcement
      const id = ++lastId
      const countdown = countdownOf(announcement)
      for (const old of $state.get()) if (!old.isUndoable && old.tone === 'success') dismiss(old.id)
      if (undo !== undefined) {
        const kept = $state.get().filter((old) => old.isUndoable && entries.get(old.id)?.isWaiting === false)
        for (const old of kept.slice(0, 1 - maxUndoable)) dismiss(old.id)
      }
      if (isHeld) countdown?.hold()
      void countdown?.ended.then(() => remove(id))
      entries.set(id, { undo, countdown, isWaiting: announcement.countdown !== undefined })
      update((messages) => [...messages, { id, text, tone, isUndoable: undo !== undefined }])
    },
    // No message has the id 0.
    undo(id = $state.get().findLast(({ isUndoable }) => isUndoable)?.id ?? 0) {
      const undo = entries.get(id)?.undo
      if (undo === undefined) return false
      remove(id)
      undo()
      return true
    },
    dismiss,
    hold() {
      isHeld = true
      for (const { countdown } of entries.values()) countdown?.hold()
    },
    resume() {
      if (!isHeld) return
      isHeld = false
      for (const { countdown } of entries.values()) countdown?.resume()
    },
  }
})

/** How this tab answers the other tabs. */
interface ThisTab {
  /** Returns whether a sign-out of the user would lose input of this tab. */
  wouldLose(userId: string): boolean
  /** The user has signed out in another tab. */
  signedOut(userId: string): void
}

/** The other tabs of this browser, for sign-outs. Without them, the form of another tab would be lost, or stay on a shared computer. */
export interface SignOuts {
  /** Asks the other tabs. A tab that does not answer soon, because the browser has frozen it, is not waited for. */
  wouldLose(userId: string): Promise<boolean>
  /** Tells the other tabs. */
  signOut(userId: string): void
}

type Message = { readonly kind: 'asked' | 'loses' | 'signedOut'; readonly userId: string }

const answerMs = 300

/** Connects this tab with the others. */
export function openSignOuts({ wouldLose, signedOut }: ThisTab): SignOuts {
  const channel = new BroadcastChannel('sign-outs')
  const send = (message: Message) => channel.postMessage(message)
  let answer: ((reply: 'loses' | 'silent') => void) | null = null
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    const { kind, userId } = data
    if (kind === 'loses') answer?.('loses')
    else if (kind === 'signedOut') signedOut(userId)
    else if (wouldLose(userId)) send({ kind: 'loses', userId })
  })
  return {
    async wouldLose(userId) {
      const { promise, resolve } = Promise.withResolvers<'loses' | 'silent'>()
      answer = resolve
      send({ kind: 'asked', userId })
      setTimeout(resolve, answerMs, 'silent')
      return (await promise) === 'loses'
    },
    signOut: (userId) => send({ kind: 'signedOut', userId }),
  }
}

import { isKitError, type KitError } from '@vertical-kit/ui-client'
import type { Host } from '../host/deployment.ts'
import { openFaultyNetwork } from '../network/faulty-network.ts'
import { signIn, targetOf } from '../signed-in.ts'

/** Opens a network with injectable faults in front of the host, signs a user in through it, and adds an invoice. */
export async function openBehindNetwork(host: Host, user = 'clerk') {
  const network = await openFaultyNetwork(host.url)
  const signedIn = await signIn(host, user, { url: network.url })
  const document = await host.addInvoice()
  return { network, ...signedIn, target: targetOf(document), document }
}

/** Resolves with the KitError of a call. Throws if the call succeeds. */
export async function refusalOf(call: Promise<unknown>): Promise<KitError> {
  const error: unknown = await call.then(
    () => new Error('The call succeeded.'),
    (reason: unknown) => reason,
  )
  if (!isKitError(error)) throw error
  return error
}

import { isKitError, type KitError } from '@vertical-kit/ui-client'
import type { Host } from '../host/deployment.ts'
import { openFaultyNetwork } from '../network/faulty-network.ts'
import { signIn, targetOf } from '../signed-in.ts'

/** A user behind a network that fails as told, and a new invoice. */
export async function openBehindNetwork(host: Host, user = 'clerk') {
  const network = await openFaultyNetwork(host.url)
  const signedIn = await signIn(host, user, { url: network.url })
  const document = await host.addInvoice()
  return { network, ...signedIn, target: targetOf(document), document }
}

/** The error with which a call has to reject. */
export async function refusalOf(call: Promise<unknown>): Promise<KitError> {
  const error: unknown = await call.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  )
  if (!isKitError(error)) throw error
  return error
}

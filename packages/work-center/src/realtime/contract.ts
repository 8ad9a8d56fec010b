import * as v from 'valibot'

/** Where the hub is: clients negotiate below it and connect to it. */
export const workCenterHubPath = '/hubs/work-center'

/**
 * What the hub invokes on its clients, with one argument: the version, a number. It says that there is something new,
 * and nothing of what; ask for it.
 */
export const workCenterChangedTarget = 'workCenterChanged'

/** The answer to `POST …/negotiate`. Any replica takes the connection: the token is nobody's ticket. */
export const Negotiation = v.object({
  negotiateVersion: v.literal(1),
  connectionId: v.string(),
  connectionToken: v.string(),
  availableTransports: v.array(
    v.object({ transport: v.literal('WebSockets'), transferFormats: v.array(v.literal('Text')) }),
  ),
})
export type Negotiation = Readonly<v.InferOutput<typeof Negotiation>>

/** The first record of a client. */
export const HandshakeRequest = v.object({ protocol: v.string(), version: v.number() })

/** An id is sent back with the answer, so it has an end. */
const InvocationId = v.nullish(v.pipe(v.string(), v.maxLength(128)))

/** Any later record of a client, as far as the hub looks at it. */
export const ClientMessage = v.object({ type: v.number(), invocationId: InvocationId })
export type ClientMessage = Readonly<v.InferOutput<typeof ClientMessage>>

/** Versions by user, as one replica tells the others. */
export const Announcement = v.record(
  v.pipe(v.string(), v.uuid()),
  v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
)

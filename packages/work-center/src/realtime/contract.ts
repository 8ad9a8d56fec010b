import * as v from 'valibot'

/** The path of the hub. Clients connect to this path. They negotiate at the same path with `/negotiate` appended. */
export const workCenterHubPath = '/hubs/work-center'

/**
 * The method that the hub invokes on its clients. Its only argument is the version, which is a number. The invocation
 * contains no items, because clients fetch items over HTTP.
 */
export const workCenterChangedTarget = 'workCenterChanged'

/** The response to `POST …/negotiate`. The client can connect to any replica. The connection token grants no rights. */
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

/** The length of the id is limited, because the response contains the id. */
const InvocationId = v.nullish(v.pipe(v.string(), v.maxLength(128)))

/** The fields that the hub reads from a client's records after the handshake. */
export const ClientMessage = v.object({ type: v.number(), invocationId: InvocationId })
export type ClientMessage = Readonly<v.InferOutput<typeof ClientMessage>>

/** Versions by user id, in the format in which replicas send them to each other. */
export const Announcement = v.record(
  v.pipe(v.string(), v.uuid()),
  v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
)

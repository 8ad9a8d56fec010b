import { type BusinessObjectReference, businessObjectKinds, Id } from '@vertical-kit/core-audit/contract'
import * as v from 'valibot'

/** The path of the hub. Clients connect to this path. They negotiate at the same path with `/negotiate` appended. */
export const workCenterHubPath = '/hubs/work-center'

/**
 * The method that the hub invokes on its clients. Its only argument is the version, which is a number. The invocation
 * contains no items, because clients fetch items over HTTP.
 */
export const workCenterChangedTarget = 'workCenterChanged'

/**
 * The method that the hub invokes when an object of {@link Subscription} has changed. Its arguments are the kind, the type
 * code, the id and a number that only increases. Clients ask over HTTP for the change.
 */
export const objectChangedTarget = 'objectChanged'

/** The arguments of the hub's methods `subscribe` and `unsubscribe`: the kind, the type code and the id of an object. */
export const Subscription = v.pipe(
  v.strictTuple([v.picklist(businessObjectKinds), v.pipe(v.string(), v.regex(/^[a-z0-9_.]{1,200}$/)), Id]),
  v.transform(([kind, typeCode, id]): BusinessObjectReference => ({ kind, typeCode, id })),
)

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
export const ClientMessage = v.object({
  type: v.number(),
  invocationId: InvocationId,
  target: v.optional(v.unknown()),
  arguments: v.optional(v.unknown()),
})
export type ClientMessage = Readonly<v.InferOutput<typeof ClientMessage>>

/** The length is limited, because an announcement must fit into the payload of one NOTIFY. */
const objectKey = new RegExp(`^(?:${businessObjectKinds.join('|')})/[a-z0-9_.]{1,200}/[0-9a-f-]{36}$`)

/** Returns whether a text is the kind, the type code and the id of a business object, as replicas send them. */
export const isObjectKey = (text: string): boolean => objectKey.test(text)

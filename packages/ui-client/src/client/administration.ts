import type { Page } from '../wire/business-objects.ts'
import type { DeadLetter, OutboxEventHistory, OutboxState } from '../wire/outbox.ts'
import type { Permission, Role, User } from '../wire/security.ts'
import type { ApiDocument, HealthReport } from '../wire/system.ts'
import type { Get } from './get.ts'
import { type CallOptions, type KitRequest, path, type Send } from './send.ts'

/** Selects a page of users. */
export interface ListUsers extends CallOptions {
  /** A part of the name, email address or subject. */
  readonly q?: string | undefined
  readonly isActive?: boolean | undefined
  readonly limit?: number
  readonly cursor?: string | null
}

/** A person to invite. The subject must match the tokens of the identity provider. */
export interface InviteUser {
  readonly subject: string
  readonly email: string | null
  readonly displayName: string
  readonly roleIds: readonly string[]
}

/** The parts of a role that an administrator can write without changing its permissions. */
export type RoleTexts = Pick<Role, 'code' | 'name' | 'description'>

/** Selects a page of dead letters. */
export interface ListDeadLetters extends CallOptions {
  readonly consumer?: string | undefined
  readonly limit?: number
  readonly cursor?: string | null
}

/** The dead letters of an event, and the reason that the audit log keeps. Without `consumer`, all of them. */
export interface ChangeDeadLetters extends CallOptions {
  readonly eventId: string
  readonly consumer?: string
  readonly reason: string
}

const repeatable = (options: CallOptions) => ({ ...options, isRepeatable: true })

/** Calls for administrators: users, roles, the outbox, and the status of the service. */
export function administrationApi(send: Send, get: Get) {
  /** Changes that have the same effect if they are repeated. */
  const put = <T>(to: string, body: unknown, options: CallOptions) =>
    send<T>({ method: 'PUT', path: to, body, isRepeatable: true, ...options })
  const post = <T>(to: string, body: unknown, options: CallOptions & Pick<KitRequest, 'isRepeatable'>) =>
    send<T>({ method: 'POST', path: to, body, ...options })
  const security = '/api/security'
  const user = (id: string) => path`/api/security/users/${id}`
  const role = (id: string) => path`/api/security/roles/${id}`
  const outbox = '/api/system/outbox'
  const changeDeadLetters =
    (verb: string) =>
    ({ eventId, signal, ...body }: ChangeDeadLetters) =>
      post<{ consumers: string[] }>(path`/api/system/outbox/events/${eventId}/` + verb, body, { signal })
  return {
    security: {
      /** Resolves with a page of users, newest first. */
      users: (filters: ListUsers = {}) => get<Page<User>>(`${security}/users`, filters),
      user: (id: string, options: CallOptions = {}) => get<User>(user(id), options),
      /** Creates the user before their first request. The call is not retried. */
      invite: (person: InviteUser, options: CallOptions = {}) =>
        post<User>(`${security}/users`, person, options),
      /** Replaces the roles of a user, if the user still has the `expected` roles. */
      setUserRoles: (
        id: string,
        roleIds: readonly string[],
        { expected, ...options }: CallOptions & { expected?: readonly string[] } = {},
      ) => put<User>(`${user(id)}/roles`, { roleIds, expectedRoleIds: expected }, options),
      /** Locks the user out from their next request on. */
      deactivateUser: (id: string, options: CallOptions = {}) =>
        post<User>(`${user(id)}/deactivate`, undefined, repeatable(options)),
      reactivateUser: (id: string, options: CallOptions = {}) =>
        post<User>(`${user(id)}/reactivate`, undefined, repeatable(options)),
      /** Resolves with all roles, by code. */
      roles: (options: CallOptions = {}) => get<Role[]>(`${security}/roles`, options),
      role: (id: string, options: CallOptions = {}) => get<Role>(role(id), options),
      createRole: (body: RoleTexts & { permissions: readonly string[] }, options: CallOptions = {}) =>
        post<Role>(`${security}/roles`, body, options),
      /**
       * Sets the texts of a role, if it still has the `expected` ones. The call is not retried: after a lost response, a retry would
       * be a conflict.
       */
      updateRole: (
        id: string,
        texts: RoleTexts,
        { expected, signal }: CallOptions & { expected?: RoleTexts } = {},
      ) => send<Role>({ method: 'PUT', path: role(id), body: { ...texts, expected }, signal }),
      /**
       * Replaces the permissions of a role, if it still has the `expected` permissions. The call is not retried: after a lost
       * response, a retry would be a conflict.
       */
      setRolePermissions: (
        id: string,
        permissions: readonly string[],
        { expected, signal }: CallOptions & { expected?: readonly string[] } = {},
      ) =>
        send<Role>({
          method: 'PUT',
          path: `${role(id)}/permissions`,
          body: { permissions, expectedPermissions: expected },
          signal,
        }),
      /** Switches a role off: it grants nothing to its users. */
      deactivateRole: (id: string, options: CallOptions = {}) =>
        post<Role>(`${role(id)}/deactivate`, undefined, repeatable(options)),
      reactivateRole: (id: string, options: CallOptions = {}) =>
        post<Role>(`${role(id)}/reactivate`, undefined, repeatable(options)),
      /** Resolves with every permission that a role can grant. */
      permissions: (options: CallOptions = {}) => get<Permission[]>(`${security}/permissions`, options),
    },
    outbox: {
      /** Resolves with the counts of each consumer. */
      state: (options: CallOptions = {}) => get<OutboxState>(outbox, options),
      /** Resolves with a page of dead letters, oldest first. */
      deadLetters: (filters: ListDeadLetters = {}) =>
        get<Page<DeadLetter>>(`${outbox}/dead-letters`, filters),
      /** Resolves with the deliveries and attempts of an event. */
      event: (id: string, options: CallOptions = {}) =>
        get<OutboxEventHistory>(path`/api/system/outbox/events/${id}`, options),
      /** Makes dead letters pending again. The call is not retried: the second one would be refused. */
      retry: changeDeadLetters('retry'),
      /** Discards dead letters, so that later events of the subject continue. The call is not retried. */
      discard: changeDeadLetters('discard'),
    },
    system: {
      /** Resolves with the health of the service, even if it is unhealthy. */
      health: (options: CallOptions = {}) =>
        send<HealthReport>({
          ...{ method: 'GET', path: '/health' },
          // A gateway in front of the service can answer 503, too.
          acceptsError: (body) => Object.hasOwn(Object(body), 'entries'),
          ...options,
        }),
      /** Resolves with the OpenAPI document of the service. */
      description: (options: CallOptions = {}) => get<ApiDocument>('/openapi.json', options),
    },
  }
}

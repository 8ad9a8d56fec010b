import type { Client, ProblemDetails } from '@vertical-kit/ui-client'

type Result<Call extends (...input: never[]) => Promise<unknown>> = Awaited<ReturnType<Call>>

/** The endpoints that the elements call, and their answers as the client types them. `*` stands for an id. */
interface Endpoints {
  'GET /api/features': Result<Client['features']['list']>
  'GET /api/security/me/access': Result<Client['me']['access']>
  'GET /api/notes': Result<Client['notes']['list']>
  'GET /api/notes/mentionable': Result<Client['notes']['mentionable']>
  'POST /api/notes': Result<Client['notes']['create']>
  'PUT /api/notes/*': Result<Client['notes']['update']>
  'GET /api/attachments': Result<Client['attachments']['list']>
  'POST /api/attachments/uploads': Result<Client['attachments']['reserve']>
  'POST /api/attachments/*/complete': Result<Client['attachments']['complete']>
  'POST /api/attachments/*/download': Result<Client['attachments']['download']>
  'GET /api/audit/events': Result<Client['audit']['list']>
  'GET /api/audit/search': Result<Client['audit']['search']>
  'GET /api/business-objects/activity': Result<Client['businessObjects']['activity']>
  'GET /api/business-objects/watch': Result<Client['businessObjects']['isWatching']>
  'PUT /api/business-objects/watch': Result<Client['businessObjects']['watch']>
  'GET /api/documents/*/*/editor-state': Result<Client['documents']['editorState']>
  'POST /api/documents/*/*/actions/*': Result<Client['documents']['execute']>
  'POST /api/documents/*/*/actions/*?dryRun': Result<Client['documents']['dryRun']>
  'POST /api/documents/*/actions/*/batch': Result<Client['documents']['executeBatch']>
  'GET /api/documents/*/*/actions/*/who': Result<Client['documents']['who']>
  'GET /api/work-center/summary': Result<Client['workCenter']['summary']>
  'GET /api/work-center/items': Result<Client['workCenter']['items']>
  'POST /api/work-center/tasks/*/claim': Result<Client['workCenter']['claimTask']>
  'POST /api/work-center/batch': Result<Client['workCenter']['batch']>
  'GET /api/work-center/team': Result<Client['team']['tasks']>
  'GET /api/work-center/team/users': Result<Client['team']['holders']>
  'POST /api/work-center/team/tasks/*/assign': Result<Client['team']['assign']>
  'GET /api/work-center/tasks/*/recipients': Result<Client['team']['recipients']>
  'GET /api/me/substitution': Result<Client['team']['substitution']['get']>
  'PUT /api/me/substitution': Result<Client['team']['substitution']['set']>
  'GET /api/me/substitution/users': Result<Client['team']['substitutes']>
  'GET /api/me/notification-preferences': Result<Client['me']['preferences']>
  'PUT /api/me/notification-preferences': Result<Client['me']['setPreferences']>
  'GET /api/me/mail-settings': Result<Client['me']['mailSettings']>
  'GET /api/security/users': Result<Client['security']['users']>
  'POST /api/security/users': Result<Client['security']['invite']>
  'POST /api/security/users/*/deactivate': Result<Client['security']['deactivateUser']>
  'GET /api/security/roles': Result<Client['security']['roles']>
  'PUT /api/security/roles/*/permissions': Result<Client['security']['setRolePermissions']>
  'GET /api/security/permissions': Result<Client['security']['permissions']>
  'GET /api/system/outbox': Result<Client['outbox']['state']>
  'GET /api/system/outbox/dead-letters': Result<Client['outbox']['deadLetters']>
  'GET /api/system/outbox/events/*': Result<Client['outbox']['event']>
  'POST /api/system/outbox/events/*/retry': Result<Client['outbox']['retry']>
  'GET /health': Result<Client['system']['health']>
  'GET /openapi.json': Result<Client['system']['description']>
}

/** The answers of a scene. A function runs for each request: it returns the body, or throws a refusal. */
export type Answers = {
  readonly [Name in keyof Endpoints]?: () => Endpoints[Name] | Promise<Endpoints[Name]>
}

/** A refusal by the service. */
class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly problem: ProblemDetails
  constructor(problem: ProblemDetails) {
    super(problem.detail)
    this.problem = problem
  }
}

/** Returns an answer that refuses the request. */
export const refused =
  (status: number, code: string, detail: string, context: Record<string, unknown> = {}) =>
  (): never => {
    const title = status >= 500 ? 'Internal error' : 'Refused'
    throw new Refusal({ type: 'about:blank', title, status, code, detail, context, requestId: 'req-gallery' })
  }

export const forbidden = refused(403, 'permission.denied', 'You do not have the required permission.')
export const failing = refused(500, 'internal', 'The service failed. Try again later.')

/** The answer of a service that cannot be reached. */
export const unreachable = (): never => {
  throw new TypeError('Failed to fetch')
}

/** The answer that never arrives. */
export const never = (): Promise<never> => waitForever

/** Answers each request in turn, and repeats the last answer. */
export function inTurn<T>(...answers: readonly [() => T, ...(() => T)[]]): () => T {
  let count = 0
  return () => {
    count += 1
    return (answers[count - 1] ?? answers.at(-1) ?? answers[0])()
  }
}

const waitForever = new Promise<never>(() => {})

/** The answers of a scene as a function for `createClient`. */
export interface AnsweringFetch {
  readonly fetch: typeof fetch
  /** The number of requests whose answers are on their way. Does not count answers that never arrive. */
  openCount(): number
}

/** Answers requests from the fixtures of a scene. A request without an answer is an error of the scene. */
export function answerFrom(answers: Answers): AnsweringFetch {
  let open = 0
  const replies = Object.entries(answers).map(([name, reply]) => ({ pattern: patternOf(name), reply }))
  return {
    openCount: () => open,
    async fetch(input, init) {
      const name = nameOf(String(input), init?.method ?? 'GET')
      const reply = replies.find(({ pattern }) => pattern.test(name))?.reply
      if (reply === undefined) console.error(`The scene has no answer for ${name}`)
      open += 1
      try {
        const body = await (reply === never ? leave() : (reply ?? unreachable)())
        return body === undefined ? new Response(null, { status: 204 }) : Response.json(body)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        return Response.json(error.problem, { status: error.problem.status })
      } finally {
        open -= 1
      }
    },
  }

  function leave(): Promise<never> {
    open -= 1
    return waitForever
  }
}

/** Returns the method and path of a request. Dry runs of actions have another answer than executions. */
function nameOf(url: string, method: string): string {
  const { pathname, searchParams } = new URL(url, location.origin)
  return `${method} ${pathname}${searchParams.has('dryRun') ? '?dryRun' : ''}`
}

function patternOf(name: string): RegExp {
  const literal = name.replaceAll(/[.?]/g, String.raw`\$&`)
  return new RegExp(`^${literal.replaceAll('*', '[^/]+')}$`)
}

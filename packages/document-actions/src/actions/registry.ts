import { generalJournalEntryTypeCode } from '@vertical-kit/core-audit/contract'
import { actionKinds, confirmationModes } from '../contract.ts'
import type { ActionDefinition, CommandDefinition, NavigationDefinition } from './action-definition.ts'
import type { DocumentType } from './document-type.ts'
import { lifecycleCodes } from './lifecycle.ts'
import { type JsonSchema, payloadSchemaOf } from './payload-schema.ts'

/** An action with its full permission name. */
export interface RegisteredAction {
  readonly definition: ActionDefinition
  readonly permission: string
  /** The schema of the payload for clients; undefined for an action without a payload. */
  readonly payloadSchema: JsonSchema | undefined
}

/** A validated type, with its actions by code in display order. */
export interface RegisteredType {
  readonly definition: DocumentType
  /** The kind of the type's documents. Audit events, attachments and notes refer to documents by this kind. */
  readonly kind: 'Document' | 'GeneralJournalEntry'
  readonly viewPermission: string
  readonly actions: ReadonlyMap<string, RegisteredAction>
}

/** The registered types by code. */
export type TypeRegistry = ReadonlyMap<string, RegisteredType>

export interface RegistryOptions {
  readonly types: readonly DocumentType[]
  /** The pages of the user interface that navigations can open. */
  readonly navigationTargets: readonly string[]
}

/** Returns the permission `document.<type>.<action>`. */
export const documentPermission = (typeCode: string, action: string): string =>
  `document.${typeCode}.${action}`

/**
 * Creates the registry of a deployment.
 * @throws {TypeError} listing every problem: duplicate codes, orders and types, missing handlers, unregistered targets,
 *   blank labels
 */
export function createTypeRegistry(options: RegistryOptions): TypeRegistry {
  const problems = problemsOf(options)
  if (problems.length > 0) throw new TypeError(`The document types are invalid:\n${problems.join('\n')}`)
  return new Map(options.types.map((definition) => [definition.typeCode, register(definition)]))
}

function register(definition: DocumentType): RegisteredType {
  const { typeCode } = definition
  const actions = definition.actions
    .toSorted((one, other) => one.order - other.order)
    .map((action): [string, RegisteredAction] => [
      action.code,
      {
        definition: action,
        permission: permissionOf(typeCode, action),
        payloadSchema: payloadSchemaOf(action),
      },
    ])
  return {
    definition,
    kind: typeCode === generalJournalEntryTypeCode ? 'GeneralJournalEntry' : 'Document',
    viewPermission: documentPermission(typeCode, 'view'),
    actions: new Map(actions),
  }
}

const permissionOf = (typeCode: string, action: ActionDefinition): string =>
  action.executionKind === 'Derivation'
    ? documentPermission(action.targetTypeCode, 'create')
    : documentPermission(typeCode, action.permission)

function problemsOf({ types, navigationTargets }: RegistryOptions): readonly string[] {
  const typeCodes = types.map(({ typeCode }) => typeCode)
  return [
    ...repeated(typeCodes).map((code) => `${code} is registered twice`),
    ...typeCodes.filter((code) => !isDottedCode(code)).map((code) => `${code} is not a type code`),
    ...types.flatMap(({ typeCode, actions }) => [
      ...repeated(actions.map(({ code }) => code)).map((code) => `${typeCode}: duplicate action ${code}`),
      ...repeated(actions.map(({ order }) => order)).map((order) => `${typeCode}: duplicate order ${order}`),
      ...actions.flatMap((action) =>
        problemsOfAction(action, { typeCodes, navigationTargets }).map(
          (problem) => `${typeCode}: ${action.code}: ${problem}`,
        ),
      ),
    ]),
  ]
}

interface Known {
  readonly typeCodes: readonly string[]
  readonly navigationTargets: readonly string[]
}

/** Returns all problems of an action, even those that TypeScript prevents: JavaScript hosts must fail at startup. */
function problemsOfAction(action: ActionDefinition, known: Known): readonly string[] {
  const { code, label, order, kind, confirmation } = action
  const isLifecycle = lifecycleCodes.some((lifecycleCode) => lifecycleCode === code)
  return [
    ...found({
      'the code must be lower-case words separated by dots': !isDottedCode(code),
      'the label is blank': label.trim() === '',
      [`the order ${order} is not an integer >= 0`]: !Number.isSafeInteger(order) || order < 0,
      [`unknown kind ${kind}`]: !actionKinds.includes(kind),
      [`unknown confirmation mode ${confirmation?.mode}`]:
        confirmation !== undefined && !confirmationModes.includes(confirmation.mode),
      'a lifecycle step must be a Command': isLifecycle && action.executionKind !== 'Command',
    }),
    ...problemsOfExecution(action, known),
  ]
}

function problemsOfExecution(action: ActionDefinition, known: Known): readonly string[] {
  switch (action.executionKind) {
    case 'Command':
      return [
        ...found({ 'the function handle is missing': typeof action.handle !== 'function' }),
        ...problemsOfPermission(action),
      ]
    case 'Derivation':
      return found({
        'the function derive is missing': typeof action.derive !== 'function',
        [`the target ${action.targetTypeCode} is not a registered type`]: !known.typeCodes.includes(
          action.targetTypeCode,
        ),
      })
    case 'Navigation':
    case 'View':
      return [
        ...found({
          'the function parametersOf is missing': typeof action.parametersOf !== 'function',
          [`the target ${action.targetCode} is not a registered page`]: !known.navigationTargets.includes(
            action.targetCode,
          ),
        }),
        ...problemsOfPermission(action),
      ]
    default:
      return [`unknown execution kind ${Reflect.get(action, 'executionKind')}`]
  }
}

/** The vertical registers `view` and `create`. A navigation changes nothing, so it can need only `view`. */
const problemsOfPermission = ({ executionKind, permission }: CommandDefinition | NavigationDefinition) =>
  found({
    [`the permission '${permission}' must be one segment`]: !/^[a-z0-9_]+$/.test(permission),
    [`the permission '${permission}' belongs to your vertical; choose another`]:
      permission === 'create' || (permission === 'view' && executionKind === 'Command'),
  })

/** Returns the messages of the problems that exist. */
const found = (problems: Readonly<Record<string, boolean>>): readonly string[] =>
  Object.keys(problems).filter((message) => problems[message])

const isDottedCode = (code: string): boolean => /^[a-z0-9_]+(\.[a-z0-9_]+)*$/.test(code)

const repeated = <T>(values: readonly T[]): readonly T[] => [
  ...new Set(values.filter((value, index) => values.slice(0, index).includes(value))),
]

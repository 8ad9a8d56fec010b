import { generalJournalEntryTypeCode } from '@vertical-kit/core-audit/contract'
import { actionKinds, confirmationModes } from '../contract.ts'
import type { ActionDefinition } from './action-definition.ts'
import type { DocumentType } from './document-type.ts'
import { lifecycleCodes } from './lifecycle.ts'

/** An action with the whole permission it needs. */
export interface RegisteredAction {
  readonly definition: ActionDefinition
  readonly permission: string
}

/** A type ready to be asked: its actions by code, in the order they are shown in. */
export interface RegisteredType {
  readonly definition: DocumentType
  /** As audit events and content know its documents. */
  readonly kind: 'Document' | 'GeneralJournalEntry'
  readonly viewPermission: string
  readonly actions: ReadonlyMap<string, RegisteredAction>
}

/** Types by code. */
export type TypeRegistry = ReadonlyMap<string, RegisteredType>

export interface RegistryOptions {
  readonly types: readonly DocumentType[]
  /** Places of the user interface that navigations may lead to. */
  readonly navigationTargets: readonly string[]
}

/** `document.<type>.<action>` */
export const documentPermission = (typeCode: string, action: string): string =>
  `document.${typeCode}.${action}`

/**
 * Makes the registry of a deployment.
 * @throws {TypeError} naming everything that is wrong: codes, orders and types given twice, handlers that are missing,
 *   targets nobody registered, words that are blank
 */
export function createTypeRegistry(options: RegistryOptions): TypeRegistry {
  const problems = problemsOf(options)
  if (problems.length > 0) throw new TypeError(`These actions cannot be offered:\n${problems.join('\n')}`)
  return new Map(options.types.map((definition) => [definition.typeCode, register(definition)]))
}

function register(definition: DocumentType): RegisteredType {
  const { typeCode } = definition
  const actions = definition.actions
    .toSorted((one, other) => one.order - other.order)
    .map((action): [string, RegisteredAction] => [
      action.code,
      { definition: action, permission: permissionOf(typeCode, action) },
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
      ...repeated(actions.map(({ code }) => code)).map((code) => `${typeCode}: ${code} is there twice`),
      ...repeated(actions.map(({ order }) => order)).map(
        (order) => `${typeCode}: two have the order ${order}`,
      ),
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

/** What a JavaScript host could get wrong counts too: everything here fails at the start, nothing at the first use. */
function problemsOfAction(action: ActionDefinition, known: Known): readonly string[] {
  const { code, label, order, kind, confirmation } = action
  const isLifecycle = lifecycleCodes.some((lifecycleCode) => lifecycleCode === code)
  return [
    ...found({
      'the code is not lower-case words, dots between them': !isDottedCode(code),
      'the label is blank': label.trim() === '',
      [`the order ${order} is not a whole number from 0`]: !Number.isSafeInteger(order) || order < 0,
      [`there is no kind ${kind}`]: !actionKinds.includes(kind),
      [`there is no confirmation ${confirmation?.mode}`]:
        confirmation !== undefined && !confirmationModes.includes(confirmation.mode),
      'a step of the lifecycle is a Command': isLifecycle && action.executionKind !== 'Command',
    }),
    ...problemsOfExecution(action, known),
  ]
}

function problemsOfExecution(action: ActionDefinition, known: Known): readonly string[] {
  switch (action.executionKind) {
    case 'Command':
      return [
        ...found({ 'the handler is missing': typeof action.handle !== 'function' }),
        ...problemsOfPermission(action.permission),
      ]
    case 'Derivation':
      return found({
        'the derivation is missing': typeof action.derive !== 'function',
        [`the target ${action.targetTypeCode} is not a registered type`]: !known.typeCodes.includes(
          action.targetTypeCode,
        ),
      })
    case 'Navigation':
    case 'View':
      return [
        ...found({
          'the parameters of the target are missing': typeof action.parametersOf !== 'function',
          [`the target ${action.targetCode} is not a registered place`]: !known.navigationTargets.includes(
            action.targetCode,
          ),
        }),
        ...problemsOfPermission(action.permission),
      ]
    default:
      return [`there is no execution kind ${Reflect.get(action, 'executionKind')}`]
  }
}

const problemsOfPermission = (permission: string): readonly string[] =>
  found({ [`the permission ${permission} is not one segment`]: !/^[a-z0-9_]+$/.test(permission) })

/** Those that are there, in words. */
const found = (isThere: Readonly<Record<string, boolean>>): readonly string[] =>
  Object.keys(isThere).filter((words) => isThere[words])

const isDottedCode = (code: string): boolean => /^[a-z0-9_]+(\.[a-z0-9_]+)*$/.test(code)

const repeated = <T>(values: readonly T[]): readonly T[] => [
  ...new Set(values.filter((value, index) => values.slice(0, index).includes(value))),
]

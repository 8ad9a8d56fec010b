import type { Fields } from '../documents/document-store.ts'
import {
  type ActionDefinition,
  type CommandInput,
  command,
  type DerivationInput,
  derivation,
  type NavigationInput,
  navigation,
  type PayloadSchema,
} from './action-definition.ts'
import { type LifecycleSteps, lifecycleActions } from './lifecycle.ts'

/** Makes the actions of one type, whose fields and facts it knows. */
export interface ActionMakers<F extends Fields, Facts> {
  /** The lifecycle as actions: `...lifecycle({ post: { handle: … }, unpost: { handle: … } })`. */
  readonly lifecycle: (own: LifecycleSteps<F, Facts>) => readonly ActionDefinition[]
  /** Does something to its document. */
  readonly command: <Schema extends PayloadSchema = undefined>(
    input: CommandInput<F, Facts, Schema>,
  ) => ActionDefinition
  /** Makes a new document out of this one. */
  readonly derivation: <Schema extends PayloadSchema = undefined>(
    input: DerivationInput<F, Facts, Schema>,
  ) => ActionDefinition
  /** Leads somewhere. */
  readonly navigation: (input: NavigationInput<F, Facts>) => ActionDefinition
}

/** The makers of a type; its fields and facts exist for the compiler alone. */
export const actionMakers = <F extends Fields, Facts>(): ActionMakers<F, Facts> => ({
  lifecycle: lifecycleActions,
  command,
  derivation,
  navigation,
})

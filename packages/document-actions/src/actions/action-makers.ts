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

/** The functions that define the actions of one type, typed with its fields and facts. */
export interface ActionMakers<F extends Fields, Facts> {
  /** Returns lifecycle steps as actions: `...lifecycle({ post: { handle: … }, unpost: { handle: … } })`. */
  readonly lifecycle: (own: LifecycleSteps<F, Facts>) => readonly ActionDefinition[]
  /** Defines an action that changes its document. */
  readonly command: <Schema extends PayloadSchema = undefined>(
    input: CommandInput<F, Facts, Schema>,
  ) => ActionDefinition
  /** Defines an action that creates a new document from an existing document. */
  readonly derivation: <Schema extends PayloadSchema = undefined>(
    input: DerivationInput<F, Facts, Schema>,
  ) => ActionDefinition
  /** Defines an action that only opens a page. */
  readonly navigation: (input: NavigationInput<F, Facts>) => ActionDefinition
}

/** Returns the functions that define the actions of one type. `F` and `Facts` exist only at compile time. */
export const actionMakers = <F extends Fields, Facts>(): ActionMakers<F, Facts> => ({
  lifecycle: lifecycleActions,
  command,
  derivation,
  navigation,
})

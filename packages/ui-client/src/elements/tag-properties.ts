import type { defineAdministrationElements } from './administration/index.ts'
import type { defineElements } from './index.ts'
import type { StoreElement } from './store-element.ts'

/**
 * The functions that register all elements. Their modules declare the tags, so the compiler must read these modules.
 *
 * @public
 */
export type DefineFunction = typeof defineAdministrationElements | typeof defineElements

/** The tags of all public elements. */
export type KitTag = Extract<keyof HTMLElementTagNameMap, `vk-${string}`>

type OwnKey<E> = (Exclude<keyof E, keyof StoreElement<object>> | 'session') & keyof E

/** The properties of an element, and of those of every HTML element only `autofocus`. All are optional; null and undefined mean the default. */
export type PropertiesOf<Tag extends KitTag> = FieldsOf<HTMLElementTagNameMap[Tag]> & {
  autofocus?: boolean | undefined
}

type FieldsOf<E> = {
  [Key in OwnKey<E> as E[Key] extends (...input: never[]) => unknown ? never : Key]?:
    | E[Key]
    | null
    | undefined
}

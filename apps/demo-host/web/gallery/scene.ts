import type { StoreElement } from '@vertical-kit/ui-client/elements'
import type { Session } from '@vertical-kit/ui-client/stores'
import type { Answers } from './answers.ts'

/** The tags of all public elements of the kit. */
export type ElementTag = keyof HTMLElementTagNameMap & `vk-${string}`

/** The element of a scene, and its session. */
export interface Stage<Tag extends ElementTag> {
  readonly element: HTMLElementTagNameMap[Tag]
  readonly session: Session
}

/** One state of an element. */
export interface SceneInput<Tag extends ElementTag> {
  /** Describes the state in the list of scenes. */
  readonly title: string
  /** Answers in addition to those that all scenes of the element share. */
  readonly answers?: Answers
  readonly properties?: Partial<Omit<HTMLElementTagNameMap[Tag], keyof HTMLElement>>
  /** Runs before the element opens its store, for example to store drafts. */
  readonly prepare?: (session: Session) => Promise<void>
  /** Brings the element to its state, after it has loaded. */
  readonly setup?: (stage: Stage<Tag>) => unknown
}

/** A scene of the gallery. */
export interface Scene {
  /** The name in the URL: the tag without `vk-`, and the state. */
  readonly name: string
  readonly tag: ElementTag
  readonly title: string
  readonly answers: Answers
  readonly prepare: (session: Session) => Promise<void>
  /** Creates the element, with its properties. */
  readonly create: (session: Session) => StoreElement<object>
  readonly setup: (element: StoreElement<object>, session: Session) => unknown
}

type Shared<Tag extends ElementTag> = Pick<SceneInput<Tag>, 'answers' | 'properties'>

/** Builds the scenes of an element. Each adds to the answers and properties that all of them share. */
export const scenesOf = <Tag extends ElementTag>(
  tag: Tag,
  shared: Shared<Tag>,
  scenes: Readonly<Record<string, SceneInput<Tag>>>,
): readonly Scene[] =>
  Object.entries(scenes).map(([state, scene]) => ({
    name: `${tag.slice('vk-'.length)}-${state}`,
    tag,
    title: scene.title,
    answers: { ...shared.answers, ...scene.answers },
    prepare: scene.prepare ?? (async () => {}),
    create(session) {
      const element = document.createElement(tag)
      Object.assign(element, shared.properties, scene.properties, { session })
      return element as HTMLElementTagNameMap[Tag] & StoreElement<object>
    },
    setup: (element, session) =>
      scene.setup?.({ element: element as unknown as HTMLElementTagNameMap[Tag], session }),
  }))

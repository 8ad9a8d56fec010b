import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import type { Session } from '../../session/session.ts'
import { type AccessStore, accessStore } from '../../stores/access.ts'
import {
  invitationRow,
  type UserFilters,
  type UsersStore,
  usersStore,
} from '../../stores/administration/index.ts'
import type { User } from '../../wire/security.ts'
import type { Done } from '../events.ts'
import type { AskDialog } from '../parts/ask-dialog.ts'
import { dialogParts } from '../parts/exported-parts.ts'
import { listBody } from '../parts/list-body.ts'
import { rightsFailure } from '../parts/load-failure.ts'
import { roleName } from '../service-texts.ts'
import { StoreElement, statesOf } from '../store-element.ts'
import { discardInput, enterForm, keepInput, leaveForm, resultOf, submitInput } from './form-draft.ts'
import { inviteForm } from './invite-form.ts'
import { changedInputs, failedChange, focusRendered } from './parts.ts'
import { checkedRoles, roleChoices } from './role-choices.ts'
import { administrationStyle } from './style.ts'
import { administrationEnglish, currentTexts } from './texts.ts'

const hasRole = ({ roles }: User, role: string): boolean => roles.some(({ id }) => id === role)

/**
 * The users of the service, for administrators: search, invite, assign roles, deactivate and reactivate.
 *
 * @tag vk-users
 * @fires {CustomEvent<DoneDetail>} vk-done - The user has changed something.
 * @slot heading - A heading above the content.
 * @slot actions - Your own buttons and fields in the toolbar.
 * @slot empty - Replaces the text of an empty list.
 * @csspart badge - A mark of a row, such as its state.
 * @csspart button - Each button.
 * @csspart button-danger - The buttons of dangerous actions. They are also a `button`.
 * @csspart button-primary - The main buttons. They are also a `button`.
 * @csspart checkbox - Each checkbox and switch.
 * @csspart dialog - Each dialog.
 * @csspart empty - The text of an empty list.
 * @csspart error - An error message.
 * @csspart field - Each text field and list of choices.
 * @csspart form - The form in which the user enters something.
 * @csspart group - A group of fields or rows, with its name.
 * @csspart heading - Each heading.
 * @csspart list - The list of rows.
 * @csspart loading - The placeholder of content that is loading.
 * @csspart row - Each row.
 * @csspart row-actions - The buttons of a row.
 * @csspart row-details - The details below the name of a row.
 * @csspart row-title - The name of a row.
 * @csspart toolbar - Search, filters, order and buttons for the whole list.
 */
export class UsersPanel extends StoreElement<UsersStore, 'administration'> {
  static override styles = [StoreElement.styles, administrationStyle]
  static override properties: PropertyDeclarations = {
    filters: { attribute: false, state: true },
    form: { attribute: false, state: true },
  }
  declare protected filters: UserFilters
  /** The open form: the invitation, or the roles of the user with this id. */
  declare protected form: string | null
  protected override readonly english = administrationEnglish
  protected readonly storeProperties = ['session']
  #access: AccessStore | null = null
  /**
   * The boxes that the administrator has changed and not saved, by the id of the user and of the role. Another form, or a filter, can
   * replace the form of a user for a time.
   */
  readonly #changedBoxes = new Map<string, Map<string, boolean>>()

  constructor() {
    super()
    this.filters = {}
    this.form = null
  }

  /** Whether a form contains input that is not saved. A page can ask the user before it removes the element. */
  get hasUnsavedChanges(): boolean {
    return this.#changedBoxes.size > 0 || changedInputs(this.renderRoot).length > 0
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    leaveForm(this, this.form)
  }

  protected openStore(session: Session): UsersStore {
    this.form = null
    this.#changedBoxes.clear()
    this.#access = accessStore(session)
    void this.#access.load()
    return usersStore(session)
  }

  protected atomsOf(store: UsersStore): readonly ReadableAtom<unknown>[] {
    return [store.$list, store.$roles, store.$rows, ...statesOf(this.#access)]
  }

  protected override willUpdate(changed: PropertyValues): void {
    const before = this.store
    // The next user must not see a list that a former one has filtered.
    if (changed.get('session') !== undefined) this.filters = {}
    super.willUpdate(changed)
    if (this.store !== before || changed.has('filters')) void this.store?.open(this.filters)
  }

  get #mayManage(): boolean {
    return this.#access?.may('system.users.manage') === true
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store } = this
    if (store === null) return nothing
    const texts = currentTexts()
    return html`<section class="stack" aria-label=${texts.users}>
        <slot name="heading"></slot>
        ${rightsFailure(this.#access)}
        <div class="row">
          ${this.#filterBar()}
          ${
            this.#mayManage
              ? html`<button
                  part="button button-primary"
                  class="primary"
                  data-form=${invitationRow}
                  aria-expanded=${this.form === invitationRow}
                  @click=${() => this.#toggle(invitationRow)}
                >
                  ${texts.invite}
                </button>`
              : nothing
          }
        </div>
        ${this.form === invitationRow ? this.#invitation(store) : nothing}
        ${listBody({
          list: store.$list.get(),
          label: texts.users,
          row: (user) => this.#row(store, user),
          empty: html`<p>${texts.noUsers}</p>`,
          isFiltered: Object.values(this.filters).some((value) => value !== undefined),
          load: () => void store.load(),
          loadMore: () => void store.loadMore(),
        })}
      </section>
      <vk-ask-dialog exportparts=${dialogParts}></vk-ask-dialog>`
  }

  #filterBar(): TemplateResult {
    const texts = currentTexts()
    const change = (filters: UserFilters) => {
      this.filters = { ...this.filters, ...filters }
    }
    // A change of the field and its button to clear it both start a search, and some browsers report both.
    const search = ({ target }: Event) => {
      const q = (target as HTMLInputElement).value.trim() || undefined
      if (q !== this.filters.q) change({ q })
    }
    const select = ({ target }: Event) => {
      const { value } = target as HTMLSelectElement
      change({ isActive: value === '' ? undefined : value === 'true' })
    }
    return html`<search part="toolbar" class="row grow">
      <input
        part="field"
        type="search"
        class="grow"
        maxlength="200"
        aria-label=${texts.search}
        placeholder=${texts.search}
        .value=${this.filters.q ?? ''}
        @change=${search}
        @search=${search}
      />
      <select part="field" aria-label=${texts.show} .value=${String(this.filters.isActive ?? '')} @change=${select}>
        <option value="">${texts.allUsers}</option>
        <option value="true">${texts.activeUsers}</option>
        <option value="false">${texts.inactiveUsers}</option>
      </select>
      <slot name="actions"></slot>
    </search>`
  }

  #toggle(form: string): void {
    if (this.form === form) this.#close(form)
    else {
      this.store?.dismiss(form)
      this.form = form
      void enterForm(this, form)
    }
  }

  /** Closes a form. The focus returns to the button that opened it. */
  #close(form: string): void {
    discardInput(this, form)
    this.store?.dismiss(form)
    this.form = null
    this.#changedBoxes.delete(form)
    void focusRendered(this, `[data-form="${form}"]`)
  }

  #invitation(store: UsersStore): TemplateResult {
    return inviteForm({
      roles: store.$roles.get(),
      row: store.$rows.get().get(invitationRow),
      keep: () => keepInput(this, invitationRow),
      cancel: () => this.#close(invitationRow),
      invite: async (person) => {
        const isUnchanged = submitInput(this, invitationRow)
        const result = store.invite(person)
        const user = await resultOf(this, store, { row: invitationRow, name: person.displayName, result })
        if (user === null) return
        if (store === this.store && isUnchanged() && this.form === invitationRow) this.#close(invitationRow)
        this.#done('userInvited', user, currentTexts().invited(user.displayName))
      },
    })
  }

  #row(store: UsersStore, user: User): TemplateResult {
    const texts = currentTexts()
    const { id, displayName, email, subject, isActive, roles } = user
    const row = store.$rows.get().get(id)
    const isPending = row?.status === 'pending'
    return html`<li part="row" data-id=${id} aria-busy=${isPending}>
      <div>
        <p part="row-title" class="title"><bdi>${displayName}</bdi></p>
        <p part="row-details" class="small muted"><bdi>${email ?? subject}</bdi></p>
        <p class="row marks">
          ${isActive ? nothing : html`<span part="badge" class="mark danger">${texts.inactive}</span>`}
          ${
            roles.length === 0
              ? html`<span class="small muted">${texts.noRoles}</span>`
              : roles.map((role) => html`<span part="badge" class="mark"><bdi>${roleName(role)}</bdi></span>`)
          }
        </p>
      </div>
      ${this.#mayManage ? this.#buttons(store, user, { isPending }) : nothing}
      ${this.form === id ? this.#rolesForm(store, user, { isPending }) : nothing} ${failedChange(row)}
    </li>`
  }

  #buttons(store: UsersStore, user: User, { isPending }: { readonly isPending: boolean }): TemplateResult {
    const texts = currentTexts()
    const { id, displayName, isActive, subject } = user
    const verb = isActive ? texts.deactivate : texts.reactivate
    // Administrators cannot lock themselves out here.
    const isOwn = subject === this.session?.userId
    return html`<div part="row-actions" class="row">
      <button
        part="button"
        class="small"
        data-form=${id}
        aria-label="${texts.editRoles}: ${displayName}"
        aria-expanded=${this.form === id}
        @click=${() => this.#toggle(id)}
      >
        ${texts.editRoles}
      </button>
      ${
        isOwn
          ? nothing
          : html`<button
              part="button"
              class="small"
              aria-label="${verb}: ${displayName}"
              aria-disabled=${isPending}
              @click=${() => isPending || void this.#setActive(store, user)}
            >
              ${verb}
            </button>`
      }
    </div>`
  }

  #rolesForm(store: UsersStore, user: User, { isPending }: { readonly isPending: boolean }): TemplateResult {
    const texts = currentTexts()
    const submit = async (event: SubmitEvent) => {
      event.preventDefault()
      if (isPending) return
      const form = event.target as HTMLFormElement
      const changed = await this.#change(store, user, store.setRoles(user, checkedRoles(form)))
      // Keep the boxes that the administrator has changed during the request.
      if (store === this.store) this.#forgetBoxes(changed ?? user)
      if (changed === null) return
      if (form.isConnected && !this.#changedBoxes.has(user.id)) this.#close(user.id)
      this.#done('userRolesChanged', changed, texts.rolesSaved(user.displayName))
    }
    // The user's own roles also have a checkbox when the list of all roles is not loaded: otherwise, saving would remove them.
    const choices = new Map([...user.roles, ...store.$roles.get()].map((role) => [role.id, role]))
    const change = ({ target }: Event) => {
      const { value, checked } = target as HTMLInputElement
      const boxes = this.#changedBoxes.get(user.id) ?? new Map<string, boolean>()
      this.#changedBoxes.set(user.id, boxes.set(value, checked))
      // The answer to a save changes the roles with which the boxes are compared.
      if (!isPending) this.#forgetBoxes(user)
    }
    const isChecked = (id: string) => this.#changedBoxes.get(user.id)?.get(id) ?? hasRole(user, id)
    return html`<form part="form" class="stack wide" @submit=${submit} @change=${change}>
      ${roleChoices([...choices.values()], texts.rolesOf(user.displayName), (id) => hasRole(user, id), isChecked)}
      <div class="row">
        <button part="button button-primary" class="primary small" aria-disabled=${isPending}>${texts.save}</button>
        <button part="button" type="button" class="small" @click=${() => this.#close(user.id)}>${this.texts.common.cancel}</button>
      </div>
    </form>`
  }

  /** Forgets the changed boxes of a user that equal the user's roles. */
  #forgetBoxes(user: User): void {
    const boxes = this.#changedBoxes.get(user.id) ?? new Map<string, boolean>()
    for (const [role, checked] of boxes) if (checked === hasRole(user, role)) boxes.delete(role)
    if (boxes.size === 0) this.#changedBoxes.delete(user.id)
  }

  async #setActive(store: UsersStore, user: User): Promise<void> {
    const texts = currentTexts()
    const { displayName: name, isActive } = user
    const answer = await this.renderRoot.querySelector<AskDialog>('vk-ask-dialog')?.ask({
      title: isActive ? texts.deactivateTitle(name) : texts.reactivateTitle(name),
      message: isActive ? texts.deactivateMessage : texts.reactivateMessage,
      confirmLabel: isActive ? texts.deactivate : texts.reactivate,
      isDangerous: isActive,
    })
    if (answer == null || store !== this.store) return
    const changed = await this.#change(
      store,
      user,
      isActive ? store.deactivate(user) : store.reactivate(user),
    )
    if (changed === null) return
    if (isActive) this.#done('userDeactivated', changed, texts.deactivated(name))
    else this.#done('userReactivated', changed, texts.reactivated(name))
  }

  #change(store: UsersStore, { id, displayName }: User, result: Promise<User | null>): Promise<User | null> {
    return resultOf(this, store, { row: id, name: displayName, result })
  }

  #done(kind: Extract<Done, { user: User }>['kind'], user: User, text: string): void {
    if (this.session !== undefined) this.report(this.session, { kind, user }, { text })
  }
}

import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { ReadableAtom } from 'nanostores'
import type { Session } from '../../session/session.ts'
import { type AccessStore, accessStore } from '../../stores/access.ts'
import {
  applyChange,
  type PermissionChange,
  permissionChange,
  type RolesStore,
  rolesStore,
  roleTextsRow,
} from '../../stores/administration/index.ts'
import { isConflict } from '../../stores/administration/rows.ts'
import type { Role } from '../../wire/security.ts'
import type { Done } from '../events.ts'
import type { AskDialog } from '../parts/ask-dialog.ts'
import { dialogParts } from '../parts/exported-parts.ts'
import { loadFailure, rightsFailure } from '../parts/load-failure.ts'
import { roleName } from '../service-texts.ts'
import { StoreElement, statesOf } from '../store-element.ts'
import { discardInput, enterForm, keepInput, leaveForm, resultOf, submitInput } from './form-draft.ts'
import { changedInputs, failedChange, focusRendered, loadingContent } from './parts.ts'
import { roleEditor } from './role-editor.ts'
import { type RoleTexts, roleForm, roleFormButton } from './role-form.ts'
import { activityQuestion, permissionsQuestion } from './role-questions.ts'
import { administrationStyle } from './style.ts'
import { administrationEnglish, currentTexts } from './texts.ts'

const noChange: PermissionChange = { added: [], removed: [] }

/** The form for the texts of a role. */
interface OpenForm {
  readonly row: string
  readonly label: string
  readonly role: RoleTexts
  save(texts: RoleTexts): Promise<Role | null>
  done(role: Role): void
}

/**
 * The roles and what they grant, as a matrix of resources and actions. Adds roles, renames them, and switches them off and
 * on. Before it saves permissions, it shows what changes and for how many people. Changes of another administrator are
 * never overwritten.
 *
 * @tag vk-roles
 * @fires {CustomEvent<DoneDetail>} vk-done - The user has changed something.
 * @slot heading - A heading above the content.
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
 * @csspart heading - Each heading.
 * @csspart list - The list of rows.
 * @csspart loading - The placeholder of content that is loading.
 * @csspart notice - A message that is no error.
 * @csspart row - Each row.
 * @csspart row-details - The details below the name of a row.
 * @csspart row-title - The name of a row.
 * @csspart table - Each table.
 */
export class RolesPanel extends StoreElement<RolesStore, 'administration'> {
  static override styles = [StoreElement.styles, administrationStyle]
  static override properties: PropertyDeclarations = {
    openRole: { attribute: false, state: true },
    form: { attribute: false, state: true },
    changes: { attribute: false, state: true },
  }
  /** The id of the open role. */
  declare protected openRole: string | null
  /** The row of the open form: the texts of a new role, or of a role. */
  declare protected form: string | null
  /** The changes that are not saved yet, by the id of the role. */
  declare protected changes: ReadonlyMap<string, PermissionChange>
  protected override readonly english = administrationEnglish
  protected readonly storeProperties = ['session']
  #access: AccessStore | null = null

  constructor() {
    super()
    this.openRole = null
    this.form = null
    this.changes = new Map()
  }

  /** Whether permissions or texts are changed and not saved. A page can ask the user before it removes the element. */
  get hasUnsavedChanges(): boolean {
    const isChanged = (role: Role) => Object.values(this.#changeOf(role)).some(({ length }) => length > 0)
    return (
      changedInputs(this.renderRoot).length > 0 || this.store?.$state.get().roles.some(isChanged) === true
    )
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    leaveForm(this, this.form)
  }

  protected openStore(session: Session): RolesStore {
    this.openRole = null
    this.form = null
    this.changes = new Map()
    this.#access = accessStore(session)
    void this.#access.load()
    const store = rolesStore(session)
    void store.load()
    return store
  }

  protected atomsOf(store: RolesStore): readonly ReadableAtom<unknown>[] {
    return [store.$state, store.$rows, ...statesOf(this.#access)]
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store } = this
    if (store === null) return nothing
    const texts = currentTexts()
    const { status, roles, error } = store.$state.get()
    return html`<section class="stack" aria-label=${texts.roles}>
        <slot name="heading"></slot>
        ${rightsFailure(this.#access)}
        ${loadFailure(error, store.load)}
        ${status === 'loading' ? loadingContent() : nothing}
        ${status === 'ready' && roles.length === 0 ? html`<div part="empty" class="empty"><slot name="empty">${texts.noRolesYet}</slot></div>` : nothing}
        ${this.#mayManage ? this.#addition(store) : nothing}
        <ul part="list" aria-label=${texts.roles}>
          ${repeat(
            roles,
            ({ id }) => id,
            (role) => this.#row(store, role),
          )}
        </ul>
      </section>
      <vk-ask-dialog exportparts=${dialogParts}></vk-ask-dialog>`
  }

  get #mayManage(): boolean {
    return this.#access?.may('system.roles.manage') === true
  }

  #addition(store: RolesStore): TemplateResult {
    const row = roleTextsRow()
    const { openRole } = this
    return html`<div class="row">${this.#formButton(store, row, null)}</div>
      ${
        this.form === row
          ? this.#form(store, {
              ...{ row, role: { code: '', name: '', description: '' }, label: currentTexts().addRole },
              save: (texts) => store.create(texts),
              done: (added) => {
                // The administrator can have opened another role during the request.
                if (this.openRole === openRole) this.openRole = added.id
                this.#done('roleAdded', added, currentTexts().roleAdded(added.name))
              },
            })
          : nothing
      }`
  }

  #formButton(store: RolesStore, row: string, name: string | null): TemplateResult {
    return roleFormButton({
      ...{ row, name, isOpen: this.form === row },
      toggle: () => {
        if (this.form === row) this.#close(row)
        else {
          store.dismiss(row)
          this.form = row
          void enterForm(this, row)
        }
      },
    })
  }

  #form(store: RolesStore, { row, role, label, save, done }: OpenForm): TemplateResult {
    return roleForm({
      ...{ label, role, row: store.$rows.get().get(row) },
      keep: () => keepInput(this, row),
      cancel: () => this.#close(row),
      save: async (texts) => {
        const isUnchanged = submitInput(this, row)
        const saved = await resultOf(this, store, { row, name: texts.name, result: save(texts) })
        if (saved === null) return
        done(saved)
        if (store === this.store && isUnchanged() && this.form === row) this.#close(row)
      },
    })
  }

  /** Closes a form. The focus returns to the button that opened it. */
  #close(row: string): void {
    discardInput(this, row)
    this.form = null
    void focusRendered(this, `[data-form="${row}"]`)
  }

  #done(kind: Extract<Done, { role: Role }>['kind'], role: Role, text: string): void {
    if (this.session !== undefined) this.report(this.session, { kind, role }, { text })
  }

  #row(store: RolesStore, role: Role): TemplateResult {
    const texts = currentTexts()
    const { id, description, isActive, isProtected, assignedUserCount } = role
    const name = roleName(role)
    const isOpen = this.openRole === id
    const isEditable = this.#mayManage && !isProtected
    const row = roleTextsRow(id)
    const toggle = () => {
      this.openRole = isOpen ? null : id
    }
    return html`<li part="row" data-id=${id}>
      <div>
        <p part="row-title" class="title"><bdi>${name}</bdi></p>
        ${description === '' ? nothing : html`<p part="row-details" class="small muted"><bdi>${description}</bdi></p>`}
        <p class="row marks">
          <span class="small muted">${texts.assignedTo(assignedUserCount)}</span>
          ${isProtected ? html`<span part="badge" class="mark warning">${texts.protected}</span>` : nothing}
          ${isActive ? nothing : html`<span part="badge" class="mark danger">${texts.switchedOff}</span>`}
        </p>
      </div>
      <div class="row">
        ${isEditable ? [this.#formButton(store, row, name), this.#switch(store, role)] : nothing}
        <button
          part="button"
          class="small"
          aria-label="${texts.permissions}: ${name}"
          aria-expanded=${isOpen}
          @click=${toggle}
        >
          ${texts.permissions}
        </button>
      </div>
      ${
        isEditable && this.form === row
          ? this.#form(store, {
              ...{ row, role, label: texts.editRoleOf(name) },
              save: (change) => store.rename(role, change),
              done: (saved) => this.#done('roleChanged', saved, texts.roleSaved(saved.name)),
            })
          : nothing
      }
      ${isOpen ? this.#editor(store, role) : failedChange(store.$rows.get().get(id))}
    </li>`
  }

  #switch(store: RolesStore, role: Role): TemplateResult {
    const texts = currentTexts()
    const verb = role.isActive ? texts.switchOff : texts.switchOn
    const isPending = store.$rows.get().get(role.id)?.status === 'pending'
    return html`<button
      part="button"
      class="small"
      aria-label="${verb}: ${role.name}"
      aria-disabled=${isPending}
      @click=${() => isPending || void this.#setActive(store, role)}
    >
      ${verb}
    </button>`
  }

  async #setActive(store: RolesStore, role: Role): Promise<void> {
    const texts = currentTexts()
    const { name, isActive } = role
    const answer = await this.#dialog?.ask(activityQuestion(role))
    if (answer == null || store !== this.store) return
    const result = isActive ? store.deactivate(role) : store.reactivate(role)
    const changed = await resultOf(this, store, { row: role.id, name, result })
    if (changed === null) return
    if (isActive) this.#done('roleDeactivated', changed, texts.switchedOffRole(name))
    else this.#done('roleReactivated', changed, texts.switchedOnRole(name))
  }

  get #dialog(): AskDialog | null {
    return this.renderRoot.querySelector<AskDialog>('vk-ask-dialog')
  }

  /** Returns what the administrator has changed, compared with the current permissions. */
  #changeOf({ id, permissions }: Role): PermissionChange {
    return permissionChange(permissions, applyChange(permissions, this.changes.get(id) ?? noChange))
  }

  #change({ id }: Role, change: PermissionChange): void {
    this.changes = new Map(this.changes).set(id, change)
  }

  #editor(store: RolesStore, role: Role): TemplateResult {
    const change = this.#changeOf(role)
    const { status, permissions } = store.$state.get()
    const row = store.$rows.get().get(role.id)
    return roleEditor({
      ...{ role, permissions, change, row, mayManage: this.#mayManage },
      // After a conflict, the store loads the current permissions.
      isConflict: status === 'ready' && isConflict(row),
      choose: (chosen) => this.#change(role, permissionChange(role.permissions, chosen)),
      reset: () => {
        this.#change(role, noChange)
        store.dismiss(role.id)
      },
      save: () => void this.#save(store, role),
    })
  }

  async #save(store: RolesStore, role: Role): Promise<void> {
    const texts = currentTexts()
    const change = this.#changeOf(role)
    const answer = await this.#dialog?.ask(permissionsQuestion(role, change, store.$state.get().permissions))
    if (answer == null || store !== this.store) return
    const name = roleName(role)
    const result = store.save(role, applyChange(role.permissions, change))
    const saved = await resultOf(this, store, { row: role.id, name, result })
    if (saved === null) return
    // Keep the changes that the administrator has made during the request.
    if (store === this.store) this.#change(saved, this.#changeOf(saved))
    this.#done('roleChanged', saved, texts.roleSaved(name))
  }
}

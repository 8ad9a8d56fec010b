import { html, nothing, type TemplateResult } from 'lit'
import { applyChange, type PermissionChange, type RowState } from '../../stores/administration/index.ts'
import type { Permission, Role } from '../../wire/security.ts'
import { failedChange } from './parts.ts'
import { roleMatrix } from './role-matrix.ts'
import { currentTexts } from './texts.ts'

export interface RoleEditor {
  readonly role: Role
  readonly permissions: readonly Permission[]
  /** The changes that are not saved yet. */
  readonly change: PermissionChange
  /** Whether another administrator has changed the role since it was loaded. */
  readonly isConflict: boolean
  readonly mayManage: boolean
  readonly row: RowState | undefined
  choose(permissions: readonly string[]): void
  reset(): void
  save(): void
}

/** Renders what a role grants, and the buttons that reset or save the choice. A protected role is read-only. */
export function roleEditor(editor: RoleEditor): TemplateResult {
  const { role, permissions, change, isConflict, mayManage, row, choose } = editor
  const chosen = applyChange(role.permissions, change)
  const texts = currentTexts()
  const isReadOnly = role.isProtected || !mayManage
  return html`<div class="stack wide">
    ${
      isReadOnly
        ? html`<p part="notice" class="banner warning"><span>${role.isProtected ? texts.protectedReason : texts.readOnly}</span></p>`
        : nothing
    }
    ${roleMatrix({
      ...{ permissions, granted: new Set(chosen), isReadOnly },
      toggle: (permission) =>
        choose(
          chosen.includes(permission) ? chosen.filter((one) => one !== permission) : [...chosen, permission],
        ),
    })}
    ${
      isConflict
        ? html`<div part="notice" class="banner warning" role="alert"><span>${texts.conflict}</span></div>`
        : failedChange(row)
    }
    ${isReadOnly ? nothing : buttons(editor)}
  </div>`
}

function buttons({ change: { added, removed }, row, reset, save }: RoleEditor): TemplateResult {
  const texts = currentTexts()
  const isChanged = added.length + removed.length > 0
  const isSavable = isChanged && row?.status !== 'pending'
  return html`<div class="row">
    <span class="grow small" role="status"
      >${isChanged ? texts.changeCount(added.length, removed.length) : texts.unchanged}</span
    >
    <button part="button" aria-disabled=${!isChanged} @click=${reset}>${texts.reset}</button>
    <button
      part="button button-primary"
      class="primary"
      aria-disabled=${!isSavable}
      @click=${() => isSavable && save()}
    >
      ${texts.review}
    </button>
  </div>`
}

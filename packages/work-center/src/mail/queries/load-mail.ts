import { type SQL, sql } from '@vertical-kit/core-audit'
import { emailAddressPattern } from '@vertical-kit/core-audit/contract'
import type { Db } from '@vertical-kit/core-audit/database'
import type { Item } from '../../contract.ts'
import { type ItemDefinition, isDefault } from '../../definitions/definition.ts'
import { hasItsRole } from '../../inbox/in-view.ts'
import { entriesWithItems, type ItemRow, itemColumns, toItem } from '../../queries/item-row.ts'
import { tabConditions } from '../../queries/viewer.ts'
import { isHeld } from '../held.ts'
import { defaultMailSettings } from './find-mail-settings.ts'

/** A mail whose content is loaded when it is sent. */
export interface RequestedMail {
  readonly userId: string
  readonly itemIds: readonly string[]
}

export interface LoadMail {
  /** The definitions that offer mail. */
  readonly definitions: readonly ItemDefinition[]
  /** Codes of the roles that grant all permissions. */
  readonly administratorRoleCodes: readonly string[]
  readonly mail: RequestedMail
}

export interface LoadedMail {
  /** `null` if the user is inactive or has no valid address. */
  readonly recipient: {
    readonly displayName: string
    readonly address: string
    readonly timeZone: string
  } | null
  /** The items that the recipient may see at this moment and has not seen yet. */
  readonly items: readonly Item[]
  /** The tasks that another user has claimed at this moment. */
  readonly heldIds: readonly string[]
}

/** A digest lists at most this many items; its reader finds the others in the Work Center. */
const maxItems = 100

/**
 * Loads the content of a mail with the current rights. Leaves out items that were read, dismissed, snoozed or closed, that
 * another user has claimed, that the user may no longer see, and definitions with mail switched off. Runs two
 * statements.
 */
export async function loadMail(
  db: Db,
  { definitions, administratorRoleCodes, mail }: LoadMail,
): Promise<LoadedMail> {
  const ofMail = sql`
      ${entriesWithItems}
      where e.user_id = ${mail.userId}::uuid and e.item_id = any(${sql.param(mail.itemIds)}::uuid[])`
  const [[recipient], rows] = await Promise.all([
    db.execute<{ display_name: string; email: string | null; time_zone: string | null }>(sql`
      select a.display_name, a.email, s.time_zone
      from core_audit.user_addresses a
      left join work_center.mail_settings s on s.user_id = a.id
      where a.id = ${mail.userId}::uuid`),
    // One statement reads both. With two, a claim that ends between them would hide its task from both.
    db.execute<ItemRow & { is_held: boolean }>(sql`
      (
        select ${itemColumns}, false as is_held ${ofMail}
          and ${tabConditions.attention}
          and e.is_visible and e.read_at is null
          and ${hasItsRole}
          and ${mayView(administratorRoleCodes)}
          and ${isMailed(definitions)}
        order by e.sort_at desc, e.item_id desc
        limit ${maxItems}::int
      )
      union all
      select ${itemColumns}, true ${ofMail} and ${isHeld}`),
  ])
  const address = recipient?.email ?? ''
  return {
    recipient:
      recipient === undefined || !emailAddressPattern.test(address)
        ? null
        : {
            displayName: recipient.display_name,
            address,
            timeZone: recipient.time_zone ?? defaultMailSettings.timeZone,
          },
    items: rows.filter((row) => !row.is_held).map(toItem),
    heldIds: rows.filter((row) => row.is_held).map((row) => row.item_id),
  }
}

/** The condition that the stored roles of the user of entry `e` grant the permission to view its source. */
const mayView = (administratorRoleCodes: readonly string[]): SQL => sql`
  exists (
    select from core_audit.active_role_members m
    where m.user_id = e.user_id
      and (e.view_permission = any(m.permissions) or m.role_code = any(${sql.param(administratorRoleCodes)}::text[]))
  )`

/** The condition that the user of entry `e` still receives mails of its definition. */
const isMailed = (definitions: readonly ItemDefinition[]): SQL => {
  const codes = definitions.map(({ code }) => code)
  const defaults = definitions.filter((one) => isDefault(one, 'Email')).map(({ code }) => code)
  const code = sql`coalesce(t.code, n.code)`
  return sql`${code} = any(${sql.param(codes)}::text[]) and coalesce(
    (
      select p.is_enabled
      from work_center.preferences p
      where p.user_id = e.user_id and p.code = ${code} and p.channel = 'Email'
    ),
    ${code} = any(${sql.param(defaults)}::text[])
  )`
}

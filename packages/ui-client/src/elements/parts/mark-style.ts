import { css } from 'lit'

/** Styles of the short marks of a row, such as its state or its due date. */
export const markStyle = css`
  .mark {
    padding: 0 0.4em;
    border-radius: calc(var(--_radius) / 2);
    background: var(--_raised);
    color: var(--_muted);
  }
  .mark.danger {
    background: var(--_danger-soft);
    color: var(--_danger);
  }
  .mark.warning {
    background: var(--_warning-soft);
    color: var(--_warning);
  }
  .mark.success {
    background: var(--_success-soft);
    color: var(--_success);
  }
`

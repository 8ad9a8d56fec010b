import { css } from 'lit'

/** Styles of the attachments panel, in addition to the theme. */
export const attachmentsStyle = css`
  li {
    padding: 0.5rem 0;
    border-top: 1px solid var(--_line);
  }
  li:first-child {
    border-top: 0;
  }
  li.stack {
    gap: 0.375rem;
  }
  h3 {
    font-size: 0.9375rem;
    font-weight: 600;
  }
  .kind {
    display: grid;
    place-items: center;
    width: 1.75rem;
    font-size: 1.25rem;
  }
  .tools > *,
  .overall span {
    flex: 1 max-content;
  }
  .overall {
    padding: 0.5rem 0.75rem;
    border-radius: var(--_radius);
    background: var(--_raised);
  }
  input[type='checkbox'] {
    width: 1.125rem;
    height: 1.125rem;
    margin: 0.1875rem;
    accent-color: var(--_accent);
  }
  label.row {
    flex-wrap: nowrap;
  }
  button.link {
    min-height: 1.5rem;
  }
  button.link:hover {
    background: none;
  }
  .name {
    font-weight: 500;
    overflow-wrap: anywhere;
  }
  bdi.name {
    min-width: min(100%, 7rem);
  }
  .progress {
    display: grid;
    grid-template-columns: 1fr 11em;
    align-items: center;
    gap: 0.75rem;
    min-height: 1.5rem;
  }
  .progress span {
    text-align: end;
    font-variant-numeric: tabular-nums;
  }
  progress {
    width: 100%;
    height: 0.5rem;
    accent-color: var(--_accent);
  }
  @container (width < 24rem) {
    .progress {
      grid-template-columns: 1fr;
      gap: 0;
    }
    .progress span {
      text-align: start;
    }
  }
`

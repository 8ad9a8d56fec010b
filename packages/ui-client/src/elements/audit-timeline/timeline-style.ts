import { css } from 'lit'

/**
 * Styles of the timeline. Names appear beside their values, or above them in narrow containers. All filters have one height,
 * which keeps their labels on one line. On paper, nobody can expand a long value.
 */
export const timelineStyle = css`
  .filters {
    display: flex;
    flex-wrap: wrap;
    align-items: end;
    gap: 0.5rem;
    margin: 0 0 0.75rem;
    padding: 0;
    border: 0;
  }
  .filters label {
    display: grid;
    gap: 0.125rem;
    min-width: 0;
  }
  .filters select,
  .filters input {
    width: auto;
    max-width: 11rem;
    min-height: 2.125rem;
    padding: 0.25rem 0.375rem;
  }
  .filters + .banner {
    margin-block-end: 0.75rem;
  }
  h3 {
    padding: 1rem 0 0.25rem;
    color: var(--_muted);
    font-size: 0.875em;
    font-weight: 600;
  }
  li:first-child h3 {
    padding-top: 0;
  }
  article {
    gap: 0.5rem;
    padding: 0.75rem 0;
    border-top: 1px solid var(--_line);
  }
  .what {
    font-weight: 600;
  }
  dl {
    display: grid;
    gap: 0.375rem;
    margin: 0;
    overflow-wrap: anywhere;
  }
  dl > div {
    display: grid;
    grid-template-columns: 8rem 1fr;
    column-gap: 0.75rem;
  }
  dt {
    grid-row: span 2;
  }
  dd {
    grid-column: 2;
    margin: 0;
  }
  .change,
  .after {
    display: flex;
    flex-wrap: wrap;
    column-gap: 0.375rem;
  }
  .after {
    flex-wrap: nowrap;
  }
  .after::before {
    content: '→' / '';
  }
  .after:dir(rtl)::before {
    content: '←' / '';
  }
  .value {
    white-space: pre-wrap;
  }
  @media screen {
    .short {
      display: -webkit-box;
      overflow: hidden;
      -webkit-box-orient: vertical;
      -webkit-line-clamp: 4;
    }
  }
  @container (width < 26rem) {
    dl > div {
      grid-template-columns: 1fr;
    }
    dd {
      grid-column: 1;
    }
  }
`

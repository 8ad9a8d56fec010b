import { css } from 'lit'
import { markStyle } from '../parts/mark-style.ts'

/** Styles of the elements for administrators: lists with rows, and tables that scroll in narrow containers. */
export const administrationStyle = css`
  ${markStyle}
  li {
    display: grid;
    grid-template-columns: 1fr auto;
    gap: 0.25rem 0.75rem;
    align-items: start;
    padding: 0.625rem 0.25rem;
    border-top: 1px solid var(--_line);
  }
  li:first-child {
    border-top: 0;
  }
  li > .wide {
    grid-column: 1 / -1;
  }
  @container (max-width: 30rem) {
    li > .row {
      grid-column: 1 / -1;
    }
  }
  li p,
  legend,
  code {
    overflow-wrap: anywhere;
  }
  search.grow {
    flex: 1 1 20rem;
  }
  search > .grow {
    flex-basis: 9rem;
  }
  .title {
    font-weight: 600;
  }
  .marks {
    gap: 0.25rem 0.5rem;
  }
  .mark {
    font-size: 0.875em;
  }
  label {
    font-weight: 500;
  }
  .field {
    display: grid;
    gap: 0.25rem;
  }
  @container (width < 26rem) {
    li {
      grid-template-columns: minmax(0, 1fr);
    }
  }
  .fields {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(14rem, 100%), 1fr));
    align-items: start;
    gap: 0.75rem;
  }
  .row > label {
    display: inline-flex;
    align-items: center;
    gap: 0.375rem;
    max-width: 100%;
    min-height: 2rem;
  }
  label > bdi {
    min-width: 0;
  }
  fieldset {
    min-width: 0;
    margin: 0;
    padding: 0.5rem 0.75rem;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
  }
  legend {
    padding: 0 0.25rem;
    font-weight: 600;
  }
  select {
    width: auto;
    max-width: 100%;
  }
  input[type='checkbox'] {
    width: 1.125rem;
    height: 1.125rem;
    margin: 0;
    accent-color: var(--_accent);
  }
  .card {
    padding: 0.75rem;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
  }
  .wrong {
    color: var(--_danger);
  }
  .scroll {
    overflow-x: auto;
  }
  table {
    border-collapse: collapse;
    font-variant-numeric: tabular-nums;
  }
  caption {
    padding: 0.5rem 0 0.25rem;
    font-weight: 600;
    text-align: start;
  }
  th,
  td {
    padding: 0.25rem 0.75rem 0.25rem 0;
    border-top: 1px solid var(--_line);
    text-align: start;
    vertical-align: top;
  }
  thead th {
    border-top: 0;
    color: var(--_muted);
    font-size: 0.875em;
    font-weight: 500;
    vertical-align: bottom;
  }
  tbody th {
    font-weight: 500;
    min-width: 6rem;
  }
  .detail {
    min-width: 14rem;
  }
  .matrix td,
  .matrix thead th:not(:first-child) {
    min-width: 4.5rem;
    text-align: center;
  }
`

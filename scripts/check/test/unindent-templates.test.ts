// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are code.
import { expect, test } from 'vitest'
import { unindentTemplates } from '../../unindent-templates.ts'

test('the templates of an element lose their indentation, also inside others, and keep their lines', () => {
  const code = [
    'class Rows extends LitElement {',
    '  static styles = css`',
    '    :host {',
    '      display: block;',
    '    }',
    '  `',
    '  render() {',
    '    return html`',
    '      <ul>',
    '        ${rows.map(({ name }) => {',
    '          return html`',
    '            <li>${name}</li>',
    '          `',
    '        })}',
    '      </ul>',
    '    `',
    '  }',
    '}',
  ]
  expect(unindentTemplates(code.join('\n')).split('\n')).toEqual([
    'class Rows extends LitElement {',
    '  static styles = css`',
    ':host {',
    'display: block;',
    '}',
    '`',
    '  render() {',
    '    return html`',
    '<ul>',
    '${rows.map(({ name }) => {',
    '          return html`',
    '<li>${name}</li>',
    '`',
    '        })}',
    '</ul>',
    '`',
    '  }',
    '}',
  ])
})

test.each([
  ['text', 'const text = `\n  indented ${1}\n  text`'],
  ['a template of another tag', 'const text = other`\n  indented`'],
  ['code', 'if (true) {\n  run()\n}'],
])('%s stays as it is', (_title, code) => {
  expect(unindentTemplates(code)).toBe(code)
})

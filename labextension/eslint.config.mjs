import js from '@eslint/js';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['lib/**', 'node_modules/**', 'src/generated/**'] },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  {
    files: ['src/views/**', 'src/layout/**', 'src/protocol.ts', 'src/anywidget/**'],
    rules: {
      // The views run in every shell (JupyterLab, VS Code, Colab), so nothing of Jupyter may leak in.
      'no-restricted-imports': [
        'error',
        { patterns: ['@jupyterlab/*', '@lumino/*', '@codemirror/*', '**/plugins/*'] }
      ]
    }
  },
  {
    rules: {
      eqeqeq: 'error',
      'no-restricted-properties': [
        'error',
        { property: 'innerHTML', message: 'Specs are untrusted: use textContent.' }
      ]
    }
  },
  {
    files: ['scripts/**'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly' } }
  }
);

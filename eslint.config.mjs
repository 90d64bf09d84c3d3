// Faults that TypeScript does not see. Prettier decides about the form.
import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["**/node_modules/", "**/.venv/", "dist/", "site/"] },
  js.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    languageOptions: { ecmaVersion: 2023, sourceType: "module" },
    rules: {
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-unused-vars": ["error", { ignoreRestSiblings: true }],
      "no-var": "error",
      "prefer-const": "error",
    },
  },
  {
    files: ["src/**/*.js", "tests/worlds/**/*.js"],
    languageOptions: { globals: globals.browser },
  },
  { files: ["tests/js/*.mjs", "*.mjs"], languageOptions: { globals: globals.node } },
];

import { defineConfig } from 'vitest/config';

// No test fails because the machine is slow.
const testTimeout = 120_000;

export default defineConfig({ test: { include: ['src/**/*.test.ts'], testTimeout } });

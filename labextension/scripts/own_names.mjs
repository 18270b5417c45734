// Names of members that only our own code knows: the bundle may shorten them.
// Not ours are those of the browser, of specs and messages, and all that stand in a string.
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const library = dirname(createRequire(import.meta.url).resolve('typescript'));

function walk(file, visit) {
  const source = ts.createSourceFile(
    file,
    readFileSync(file, 'utf8'),
    ts.ScriptTarget.Latest,
    true
  );
  const each = node => {
    visit(node);
    ts.forEachChild(node, each);
  };
  each(source);
}

const files = folder => readdirSync(folder).map(name => join(folder, name));

/** `ours`: folders whose classes and interfaces are our own; `given`: those of data from outside. */
export function ownNames(ours, given) {
  const own = new Set();
  const foreign = new Set();
  const members = names => node => {
    if (ts.isTypeElement(node) || ts.isClassElement(node) || ts.isParameter(node)) {
      names.add(node.name?.text);
    }
  };
  const modules = folder =>
    files(folder).filter(file => file.endsWith('.ts') && !file.includes('.test.'));
  for (const file of ours.flatMap(modules)) {
    walk(file, members(own));
    walk(file, node => ts.isStringLiteralLike(node) && foreign.add(node.text));
  }
  for (const file of given.flatMap(modules)) {
    walk(file, members(foreign));
    walk(file, node => ts.isStringLiteralLike(node) && foreign.add(node.text));
    walk(file, node => ts.isObjectLiteralElement(node) && foreign.add(node.name?.text));
  }
  const standard = files(library).filter(file => /lib\.(dom|es\w+)(\.\w+)*\.d\.ts$/.test(file));
  standard.forEach(file => walk(file, members(foreign)));
  // The attributes that are given to h() as keys.
  for (const file of ours.flatMap(modules)) {
    walk(file, node => {
      if (ts.isCallExpression(node) && node.expression.getText() === 'h') {
        for (const argument of node.arguments.filter(ts.isObjectLiteralExpression)) {
          argument.properties.forEach(property => foreign.add(property.name?.text));
        }
      }
    });
  }
  return [...own].filter(name => name && !foreign.has(name));
}

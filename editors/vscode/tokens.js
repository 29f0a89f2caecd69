// node tokens.js GRAMMAR FILE...: prints the scopes of a grammar, as an editor finds them: for each file a list of [line, from, to, scope],
// counted in UTF-16 units. A test compares them with the tokens of weft.
const fs = require("fs");
const textmate = require("vscode-textmate");
const oniguruma = require("vscode-oniguruma");

async function main([grammarFile, ...files]) {
  await oniguruma.loadWASM(fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer);
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(fs.readFileSync(grammarFile, "utf8"), grammarFile),
  });
  const grammar = await registry.loadGrammar("source.weft");
  const found = {};
  for (const file of files) {
    let state = textmate.INITIAL;
    found[file] = [];
    fs.readFileSync(file, "utf8").split("\n").forEach((line, i) => {
      const result = grammar.tokenizeLine(line, state);
      state = result.ruleStack;
      for (const t of result.tokens) found[file].push([i, t.startIndex, t.endIndex, t.scopes[t.scopes.length - 1]]);
    });
  }
  process.stdout.write(JSON.stringify(found));
}

main(process.argv.slice(2)).catch((mistake) => {
  console.error(mistake);
  process.exit(1);
});

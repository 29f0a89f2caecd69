// Starts `weft lsp` for files of weft, and runs them in a terminal.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

const command = () => vscode.workspace.getConfiguration("weft").get("command");

// Files that a pipeline reads are looked up from the folder in which weft runs: that of the workspace.
function folder() {
  const open = vscode.workspace.workspaceFolders;
  return open && open.length > 0 ? open[0].uri.fsPath : undefined;
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("weft.run", async () => {
      const editor = vscode.window.activeTextEditor;
      if (!editor || !(await editor.document.save())) return;
      const name = "weft";
      const terminal = vscode.window.terminals.find((t) => t.name === name) || vscode.window.createTerminal({ name, cwd: folder() });
      terminal.show(true);
      terminal.sendText(`${command()} run "${editor.document.fileName}"`);
    }),
  );
  client = new LanguageClient(
    "weft",
    "weft",
    { command: command(), args: ["lsp"], options: { cwd: folder() } },
    { documentSelector: [{ language: "weft" }] },
  );
  try {
    await client.start();
  } catch (mistake) {
    vscode.window.showErrorMessage(`weft lsp does not start (${mistake.message}). Set weft.command to where the program is.`);
  }
}

const deactivate = () => client && client.stop();

module.exports = { activate, deactivate };

// Starts Ashlar's language server for the data models of a workspace.
"use strict";
const fs = require("fs");
const path = require("path");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;
let watched;

/** The server's program: the one of the settings, else the one that the package has built. */
function program() {
    const folders = (vscode.workspace.workspaceFolders || []).map((folder) => folder.uri.fsPath);
    const name = process.platform === "win32" ? "ashlar.exe" : "ashlar";
    const setting = vscode.workspace.getConfiguration("ashlar").get("server");
    const paths = setting ? [setting] : [path.join(".build", "release", name), path.join(".build", "debug", name)];
    const found = folders.flatMap((folder) => paths.map((file) => path.resolve(folder, file)));
    return [...found, ...paths.filter(path.isAbsolute)].find((file) => fs.existsSync(file));
}

async function start() {
    const command = program();
    if (!command) {
        vscode.window.showWarningMessage(
            "Ashlar's language server is not built. Run 'swift build -c release --product ashlar', then the command " +
                "'Ashlar: Restart the Language Server'.");
        return;
    }
    client = new LanguageClient(
        "ashlar", "Ashlar", { command, args: ["language-server"] },
        {
            documentSelector: [
                { scheme: "file", language: "xcdatamodel" },
                { scheme: "file", pattern: "**/*.xcdatamodeld/*.sql" },
            ],
        });
    // A build replaces the program.
    watched = command;
    fs.watchFile(command, { interval: 2000 }, (now) => {
        if (now.mtimeMs > 0) restart();
    });
    await client.start();
}

async function stop() {
    if (watched) fs.unwatchFile(watched);
    watched = undefined;
    const ended = client;
    client = undefined;
    if (ended) await ended.stop();
}

async function restart() {
    await stop();
    await start();
}

exports.activate = async (context) => {
    context.subscriptions.push(vscode.commands.registerCommand("ashlar.restart", restart));
    await start();
};

exports.deactivate = stop;
